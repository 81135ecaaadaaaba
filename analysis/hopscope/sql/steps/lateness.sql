-- The noise of each rank in each iteration, and how much of it lies on the run's critical path.
--
-- One row per rank and iteration (`iteration_ends`). noise_ns is the sum of the noise in the computing gaps that end in
-- the iteration. paid_ns is the part of it where the run's critical path lies on the rank's computing; the rest was
-- absorbed by the waiting of others. gaps is the number of computing gaps that could be evaluated. Noise after the last
-- iteration has the iteration null.
--
-- uses noise_gaps, iteration_ends
-- kept beside the dataset
create or replace view lateness as
with noisy as materialized (
    select
        rank,
        end_ns,
        computing_ns,
        noise_ns
    from noise_gaps
),

ends as materialized (
    select * from iteration_ends
),

-- The path's computing on each rank, in order and summed up, so that the part in a gap is a difference of two sums.
so_far as (
    select
        rank,
        begin_ns,
        end_ns,
        sum(end_ns - begin_ns) over (partition by rank order by begin_ns)::bigint - (end_ns - begin_ns) as before_ns
    from path_stretches
    where path = 'run' and category = 'compute' and end_ns > begin_ns
),

on_path as (
    select
        noisy.rank,
        noisy.end_ns,
        noisy.computing_ns,
        at_end.before_ns + least(noisy.end_ns, at_end.end_ns) - at_end.begin_ns
        - coalesce(
            at_begin.before_ns + least(noisy.end_ns - noisy.computing_ns, at_begin.end_ns) - at_begin.begin_ns, 0
        ) as path_ns
    from noisy
    asof inner join so_far as at_end
        on noisy.rank = at_end.rank and noisy.end_ns >= at_end.begin_ns
    asof left join so_far as at_begin
        on noisy.rank = at_begin.rank and noisy.end_ns - noisy.computing_ns >= at_begin.begin_ns
    where noisy.noise_ns > 0
),

gaps as (
    select
        noisy.rank,
        noisy.end_ns,
        noisy.computing_ns,
        noisy.noise_ns,
        least(noisy.noise_ns, coalesce(on_path.path_ns, 0)) as paid_ns
    from noisy
    left join on_path
        on
            noisy.rank = on_path.rank
            and noisy.end_ns = on_path.end_ns
            and noisy.computing_ns = on_path.computing_ns
            and on_path.path_ns > 0
),

by_iteration as (
    select
        gaps.rank,
        ends.iteration,
        count(*) as gaps,
        sum(gaps.computing_ns)::bigint as computing_ns,
        round(sum(gaps.noise_ns))::bigint as noise_ns,
        round(sum(gaps.paid_ns))::bigint as paid_ns
    from gaps
    asof left join ends on gaps.rank = ends.rank and gaps.end_ns <= ends.enter_ns
    group by gaps.rank, ends.iteration
)

select
    ends.rank,
    ends.iteration,
    ends.collective_id,
    ends.enter_ns,
    coalesce(iteration_gaps.gaps, 0) as gaps,
    coalesce(iteration_gaps.computing_ns, 0) as computing_ns,
    coalesce(iteration_gaps.noise_ns, 0) as noise_ns,
    coalesce(iteration_gaps.paid_ns, 0) as paid_ns
from ends
left join
    by_iteration as iteration_gaps
    on ends.rank = iteration_gaps.rank and ends.iteration = iteration_gaps.iteration

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
