-- Time and number of hops between clusters on the run's critical path.
--
-- One row. The MPI library's collectives of several clusters may hide such hops (category `native`): then the sums
-- cover only the known hops, and are null if none is known.
--
-- uses run_path, members
create or replace view wan_on_path as
with one_cluster_comms as (
    select members.comm
    from members
    inner join ranks on members.rank = ranks.rank
    group by members.comm
    having count(distinct ranks.cluster) = 1
),

hiding as (
    select run_path.step
    from run_path
    left join collectives on run_path.collective_id = collectives.collective_id
    where
        run_path.category = 'native'
        and run_path.time_ns > 0
        and (select count(distinct ranks.cluster) from ranks) > 1
        and (collectives.comm is null or collectives.comm not in (select one_cluster_comms.comm from one_cluster_comms))
),

path_sums as (
    select
        sum(run_path.time_ns) as path_ns,
        coalesce(sum(run_path.time_ns) filter (where run_path.category = 'wan'), 0) as wan_ns,
        coalesce(sum(run_path.time_ns) filter (where run_path.hop_id is not null), 0) as hops_ns,
        count(run_path.hop_id) as hops,
        count(run_path.hop_id) filter (where run_path.category = 'wan') as crossings,
        coalesce(sum(hops.bytes) filter (where run_path.category = 'wan'), 0) as wan_bytes,
        count(distinct run_path.collective_id) as collectives
    from run_path
    left join hops on run_path.hop_id = hops.hop_id
),

known_sums as (
    select
        *,
        path_ns is not null and (wan_ns > 0 or not exists (select hiding.step from hiding)) as has_value
    from path_sums
)

select
    path_ns,
    case when has_value then wan_ns end as wan_ns,
    hops_ns,
    case when has_value then hops end as hops,
    case when has_value then crossings end as crossings,
    case when has_value then wan_bytes end as wan_bytes,
    collectives
from known_sums;
