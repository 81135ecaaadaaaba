-- Time of the run's critical path that leads to each collective or lies in it, by rank, and the rank's computing in it.
--
-- Time outside collectives counts for the next collective on the path; time after the last collective counts for the
-- last one. Start-up and shutdown (`run_bounds`) are left out. If only a part of the run is asked for, it restricts the
-- collectives, but never the path.
--
-- uses run_bounds
create or replace view path_toward as
with bounded as (
    select
        stretches.step,
        stretches.rank,
        least(stretches.end_ns, run_bounds.last_ns) - greatest(stretches.begin_ns, run_bounds.first_ns) as time_ns,
        stretches.category,
        stretches.collective_id
    from whole_path_stretches as stretches
    inner join run_bounds
        on stretches.begin_ns < run_bounds.last_ns and stretches.end_ns > run_bounds.first_ns
    where stretches.path = 'run'
),

target_stretches as (
    select
        rank,
        time_ns,
        category,
        coalesce(
            first_value(collective_id ignore nulls)
                over (order by step rows between current row and unbounded following),
            last_value(collective_id ignore nulls)
                over (order by step rows between unbounded preceding and current row)
        ) as collective_id
    from bounded
)

select
    target_stretches.collective_id,
    target_stretches.rank,
    sum(target_stretches.time_ns)::bigint as time_ns,
    coalesce(sum(target_stretches.time_ns) filter (where target_stretches.category = 'compute'), 0)::bigint
        as computing_ns
from target_stretches
inner join collectives on target_stretches.collective_id = collectives.collective_id
group by target_stretches.collective_id, target_stretches.rank;
