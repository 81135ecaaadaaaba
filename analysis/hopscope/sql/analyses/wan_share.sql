-- Share of the collectives' time spent on links between clusters.
--
-- In a collective over a tree, a cluster's path consists of the routes of its ranks' contributions to the root, and of
-- the routes of the results back. In other collectives it is the chain of hops for which the cluster's last rank
-- waited. The first row is the run's critical path without collectives of unknown messages (`native`). If there are no
-- collectives, it is the only row.
--
-- key scope
-- column scope VARCHAR -- critical_path, or a cluster.
-- column share DOUBLE -- Share of the path's time on `wan` hops; null without a path.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column hops DOUBLE -- Hops of the path per collective.
-- column bytes DOUBLE -- Bytes between clusters per collective.
-- column crossings DOUBLE -- Hops between clusters in sequence, per collective.
-- column path_ns BIGINT -- Time of the critical path, or of all routes.
-- column wan_ns BIGINT -- Time on `wan` hops.
-- column waiting_ns BIGINT -- Time in the calls that is not on the routes: waiting for others.
-- column collectives BIGINT -- Number of collectives.
-- narrow share_low, bytes, collectives
-- uses run_path, wan_on_path, own_routes, share_of, share_intervals, block_of
-- bar share
-- example analyze wan-share trace
with routes as materialized (  -- Summed at once, because there are as many routes as calls.
    select
        own_routes.collective_id,
        ranks.cluster,
        count(*) as ranks,
        sum(own_routes.path_ns) as path_ns,
        sum(own_routes.wan_ns) as wan_ns,
        sum(own_routes.waiting_ns) as waiting_ns,
        sum(own_routes.hops) as hops,
        sum(own_routes.crossings) as crossings,
        sum(own_routes.wan_bytes) as wan_bytes
    from own_routes
    inner join ranks on own_routes.rank = ranks.rank
    group by own_routes.collective_id, ranks.cluster
),

route_places as (
    select
        *,
        dense_rank() over (order by collective_id) - 1 as nth
    from routes
),

wan_measures as (  -- noqa: ST03
    select
        'critical_path' as key,
        block,
        case when category = 'wan' then time_ns else 0 end as part,
        time_ns as whole
    from run_path

    union all
    select
        cluster as key,
        block_of(nth, max(nth) over () + 1) as block,
        wan_ns as part,
        path_ns as whole
    from route_places
),

by_cluster as (
    select
        clusters.cluster,
        sum(routes.path_ns) as path_ns,
        sum(routes.wan_ns) as wan_ns,
        sum(routes.waiting_ns) as waiting_ns,
        sum(routes.hops) / sum(routes.ranks) as hops,
        sum(routes.crossings) / sum(routes.ranks) as crossings,
        sum(routes.wan_bytes) / sum(routes.ranks) as wan_bytes,
        count(routes.collective_id) as collectives
    from (select distinct ranks.cluster from ranks) as clusters
    left join routes on clusters.cluster = routes.cluster
    where exists (select collectives.collective_id from collectives)
    group by clusters.cluster
),

scopes as (
    select
        0 as place,
        'critical_path' as scope,
        share_of(wan_ns, path_ns) as share,
        share_of(hops, collectives) as hops,
        share_of(wan_bytes, collectives) as bytes,
        share_of(crossings, collectives) as crossings,
        path_ns,
        wan_ns,
        case when path_ns is not null then 0 end as waiting_ns,
        collectives
    from wan_on_path

    union all
    select
        1 as place,
        cluster as scope,
        share_of(wan_ns, path_ns) as share,
        hops,
        wan_bytes as bytes,
        crossings,
        path_ns,
        wan_ns,
        waiting_ns,
        collectives
    from by_cluster
)

select
    scopes.scope,
    scopes.share::double as share,
    case when scopes.share is not null then intervals.share_low end as share_low,
    case when scopes.share is not null then intervals.share_high end as share_high,
    scopes.hops::double as hops,
    scopes.bytes::double as bytes,
    scopes.crossings::double as crossings,
    round(scopes.path_ns)::bigint as path_ns,
    round(scopes.wan_ns)::bigint as wan_ns,
    round(scopes.waiting_ns)::bigint as waiting_ns,
    scopes.collectives
from scopes
left join share_intervals('wan_measures') as intervals on scopes.scope = intervals.key
order by scopes.place, scopes.scope
