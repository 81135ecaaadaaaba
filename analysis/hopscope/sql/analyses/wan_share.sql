-- Share of the collectives' time spent on links between clusters.
--
-- For each cluster, whoever ran the collectives and by whatever algorithm. Over a tree: the routes of its ranks' own
-- contributions to the root and of the results back, as messages and work at the nodes. The root's own cluster has 0 %
-- unless the tree leads one of its ranks through another cluster. In an exchange between peers, or where the algorithm
-- is unrecognised: the chain of hops that the cluster's last rank waited for, the one that leaves last; among leaders
-- the way up to the leader, the chain that this one waited for, and the way down. A chain begins at the latest enter on
-- it, so a cluster that enters after a message was sent spends only the rest of that message's time. Waiting for others
-- that were late is listed beside the routes. The share is the part of that time that is `wan` hops.
--
-- For the run: the part of the critical path that is `wan` hops. Hops between clusters in collectives whose messages are
-- unknown (category `native`) are missing from it; the share is null where no others are known. If a share is near 1,
-- another algorithm or fewer collectives would pay off. crossings count how many times in sequence a route goes between
-- clusters.
--
-- key scope
-- column scope VARCHAR -- critical_path, then each cluster.
-- column share DOUBLE -- Part of the path's time that is hops between clusters; null if there is no path or no hop to
--    follow.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column hops DOUBLE -- Hops on the path per collective; for a cluster the mean over the routes.
-- column bytes DOUBLE -- Bytes that these hops carry between clusters, per collective.
-- column crossings DOUBLE -- Hops between clusters on the path, per collective.
-- column path_ns BIGINT -- Time of the path: of the run's critical path, or of all routes of the cluster.
-- column wan_ns BIGINT -- The part of it that is hops between clusters.
-- column waiting_ns BIGINT -- Time in these collectives that is not on the routes: waiting for others.
-- column collectives BIGINT -- Collectives on the path.
-- narrow share_low, bytes, collectives
-- uses run_path, wan_on_path, own_routes, share_of, share_intervals, block_of
-- bar share
-- example analyze wan-share trace
with routes as materialized (  -- Added up at once: they are as many as the calls.
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
