-- The noise of each rank in each iteration, and how much of it the critical path paid for.
--
-- One row per rank and iteration (`iteration_ends`). The noise of the computing gaps that end in the iteration adds up. Noise is paid where the run's
-- critical path lies on that rank's computing; elsewhere the others' waiting absorbed it. gaps are the
-- computing gaps that could be judged. Noise after the last iteration has the iteration null.
--
-- uses noise_gaps, iteration_ends
create or replace view lateness as
with noisy as materialized (
    select
        rank,
        begin_ns,
        end_ns,
        computing_ns,
        noise_ns
    from noise_gaps
),

-- The path's computing on a rank, one stretch after the other: what of it lies in a gap is a difference of two sums.
so_far as (
    select
        rank,
        begin_ns,
        end_ns,
        sum(end_ns - begin_ns) over (partition by rank order by begin_ns, step) - (end_ns - begin_ns) as before_ns
    from path_stretches
    where path = 'run' and category = 'compute'
),

edges as (
    select
        rank,
        begin_ns,
        unnest([begin_ns, end_ns]) as at_ns,
        unnest([-1, 1]) as sign
    from noisy
    where noise_ns > 0
),

-- Here and below things are found by sorting them together: of views over views DuckDB expects few rows, and then its ASOF join compares each with each.
along_path as (
    select
        rank,
        begin_ns as at_ns,
        null as gap_ns,
        null as sign,
        row(begin_ns, end_ns, before_ns) as stretch
    from so_far

    union all
    select
        rank,
        at_ns,
        begin_ns as gap_ns,
        sign,
        null as stretch
    from edges
),

reached as (
    select
        *,
        last_value(stretch ignore nulls) over (
            partition by rank
            order by at_ns asc, sign asc nulls first
            rows between unbounded preceding and current row
        ) as latest
    from along_path
),

on_path as (
    select
        rank,
        gap_ns as begin_ns,
        sum(sign * (latest[3] + least(at_ns, latest[2]) - latest[1])) as path_ns
    from reached
    where sign is not null
    group by rank, gap_ns
),

gaps as (
    select
        noisy.rank,
        noisy.end_ns,
        noisy.computing_ns,
        noisy.noise_ns,
        least(noisy.noise_ns, coalesce(on_path.path_ns, 0)) as paid_ns
    from noisy
    left join on_path on noisy.rank = on_path.rank and noisy.begin_ns = on_path.begin_ns
),

along_run as (
    select
        rank,
        end_ns as at_ns,
        computing_ns,
        noise_ns,
        paid_ns,
        null as iteration_end
    from gaps

    union all
    select
        rank,
        enter_ns as at_ns,
        null as computing_ns,
        null as noise_ns,
        null as paid_ns,
        row(iteration, collective_id) as iteration_end
    from iteration_ends
),

placed as (
    select
        *,
        first_value(iteration_end ignore nulls) over (
            partition by rank
            order by at_ns asc, computing_ns asc nulls last
            rows between current row and unbounded following
        ) as next_end
    from along_run
),

by_iteration as (
    select
        rank,
        next_end[1] as iteration,
        next_end[2] as collective_id,
        count(*) as gaps,
        sum(computing_ns)::bigint as computing_ns,
        round(sum(noise_ns))::bigint as noise_ns,
        round(sum(paid_ns))::bigint as paid_ns
    from placed
    where computing_ns is not null
    group by rank, next_end
)

select
    ends.rank,
    ends.iteration,
    ends.collective_id,
    ends.enter_ns,
    coalesce(found.gaps, 0) as gaps,
    coalesce(found.computing_ns, 0) as computing_ns,
    coalesce(found.noise_ns, 0) as noise_ns,
    coalesce(found.paid_ns, 0) as paid_ns
from iteration_ends as ends
left join by_iteration as found on ends.rank = found.rank and ends.iteration = found.iteration

union all
select
    rank,
    null as iteration,
    null as collective_id,
    null as enter_ns,
    gaps,
    computing_ns,
    noise_ns,
    paid_ns
from by_iteration
where iteration is null;
