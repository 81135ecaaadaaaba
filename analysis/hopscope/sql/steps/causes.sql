-- Which rank's computing led to the last arrival of each collective.
--
-- The rank that enters last need not be the one that is late: its neighbours wait for it in a halo exchange and enter after it. The path that led to the last
-- arrival says whose computing took the time: the rank that it spends the most computing on. One row per collective with such a path.
create or replace view causes as
with computing as (
    select
        path_collective_id as collective_id,
        rank,
        sum(end_ns - begin_ns) as compute_ns
    from path_stretches
    where path = 'lead' and category = 'compute'
    group by path_collective_id, rank
)

select
    collective_id,
    arg_max(rank, row(compute_ns, -rank)) as rank,
    max(compute_ns) as compute_ns
from computing
group by collective_id;
