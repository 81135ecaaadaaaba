-- The noise of each rank in each iteration, and how much of it the critical path paid for.
--
-- One row per rank and iteration (`iteration_ends`). The noise of the computing gaps that end in the iteration adds up. Noise is paid where the run's
-- critical path lies on that rank's computing; elsewhere the others' waiting absorbed it. Noise after the last iteration has the iteration null.
--
-- uses noise_gaps, iteration_ends
create or replace view lateness as
with on_path as (
    select
        gaps.rank,
        gaps.begin_ns,
        sum(least(gaps.end_ns, path.end_ns) - greatest(gaps.begin_ns, path.begin_ns)) as path_ns
    from noise_gaps as gaps
    inner join path_stretches as path
        on gaps.rank = path.rank and gaps.begin_ns < path.end_ns and gaps.end_ns > path.begin_ns
    where path.path = 'run' and path.category = 'compute' and gaps.noise_ns > 0
    group by gaps.rank, gaps.begin_ns
),

gaps as (
    select
        noise_gaps.rank,
        noise_gaps.end_ns,
        noise_gaps.computing_ns,
        noise_gaps.noise_ns,
        least(noise_gaps.noise_ns, coalesce(on_path.path_ns, 0)) as paid_ns
    from noise_gaps
    left join on_path on noise_gaps.rank = on_path.rank and noise_gaps.begin_ns = on_path.begin_ns
),

placed as (
    select
        gaps.*,
        ends.iteration,
        ends.collective_id
    from gaps
    asof left join iteration_ends as ends on gaps.rank = ends.rank and gaps.end_ns <= ends.enter_ns
),

by_iteration as (
    select
        rank,
        iteration,
        collective_id,
        sum(computing_ns)::bigint as computing_ns,
        round(sum(noise_ns))::bigint as noise_ns,
        round(sum(paid_ns))::bigint as paid_ns
    from placed
    group by rank, iteration, collective_id
)

select
    ends.rank,
    ends.iteration,
    ends.collective_id,
    ends.enter_ns,
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
    computing_ns,
    noise_ns,
    paid_ns
from by_iteration
where iteration is null;
