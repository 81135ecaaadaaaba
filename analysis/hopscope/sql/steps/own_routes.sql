-- Each rank's own route in each collective with hops, without waiting for others.
--
-- One row per rank and collective over a tree. The route follows the rank's contribution over its parents to the root,
-- and the result back down. Its time is that of its messages (`edge_times`) and of the work at the nodes between them.
-- Work on the way up is from the last child's message to the node's own send, on the way down from the message to the
-- send towards this rank, and at the end until the rank leaves. The time excludes waiting for siblings; the rest of the
-- call is waiting_ns.
--
-- If messages go between peers, or by an unrecognised algorithm, there is one row per cluster and collective: that of
-- the rank that leaves last. Its route is the chain of hops that it waited for (`chains`), from the latest enter on the
-- chain to the rank's leave. If only some ranks exchange on behalf of others, as leaders do, the route is the way up to
-- such a rank, the chain that this rank waited for, and the way down.
--
-- uses edge_times
create or replace view own_routes as
with recursive edges as materialized (
    select
        collective_id,
        is_up,
        src,
        dst,
        send_begin_ns,
        recv_end_ns,
        flight_ns,
        link = 'wan' as is_wan,
        bytes
    from edge_times
),

received as (
    select
        collective_id,
        dst as rank,
        max(recv_end_ns) filter (where is_up) as gathered_ns,
        max(recv_end_ns) filter (where not is_up) as answered_ns
    from edges
    group by collective_id, dst
),

-- The time at which a rank that exchanges on behalf of others had received all messages that it waited for.
exchanged as (
    select
        chains.collective_id,
        chains.via as rank,
        max(chains.end_ns) as exchanged_ns
    from chains
    semi join edges on chains.collective_id = edges.collective_id
    group by chains.collective_id, chains.via
),

-- For each rank, its enter and leave, and the times at which it received the last message from its children, from its
-- parent and from its peers.
nodes as materialized (
    select
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        coalesce(calls.complete_ns, calls.leave_ns) as leave_ns,
        received.gathered_ns,
        received.answered_ns,
        exchanged.exchanged_ns
    from calls
    left join received on calls.collective_id = received.collective_id and calls.rank = received.rank
    left join exchanged on calls.collective_id = exchanged.collective_id and calls.rank = exchanged.rank
),

-- The edges of both directions, each with the work before its send. That work lasts since the last message that the
-- sender needed for it, or since the sender's enter.
links as materialized (
    select
        edges.collective_id,
        edges.is_up,
        case when edges.is_up then edges.dst else edges.src end as parent,
        case when edges.is_up then edges.src else edges.dst end as rank,
        edges.flight_ns + greatest(
            edges.send_begin_ns - greatest(
                nodes.enter_ns,
                case when not edges.is_up then nodes.answered_ns end,
                case when not edges.is_up then nodes.exchanged_ns end,
                case when edges.is_up or nodes.answered_ns is null then nodes.gathered_ns end
            ), 0
        ) as path_ns,
        case when edges.is_wan then edges.flight_ns else 0 end as wan_ns,
        edges.is_wan::integer as crossings,
        case when edges.is_wan then edges.bytes else 0 end as wan_bytes
    from edges
    inner join nodes on edges.collective_id = nodes.collective_id and edges.src = nodes.rank
),

roots as (
    select
        collective_id,
        is_up,
        parent as rank
    from links
    except
    select
        collective_id,
        is_up,
        rank
    from links
),

-- Routes from the roots outwards: a rank's route is its parent's route plus the edge between them.
routes as (
    select
        collective_id,
        is_up,
        rank,
        0 as depth,
        0::double as path_ns,
        0::double as wan_ns,
        0 as crossings,
        0::bigint as wan_bytes
    from roots

    union all
    select
        links.collective_id,
        links.is_up,
        links.rank,
        routes.depth + 1 as depth,
        routes.path_ns + links.path_ns as path_ns,
        routes.wan_ns + links.wan_ns as wan_ns,
        routes.crossings + links.crossings as crossings,
        routes.wan_bytes + links.wan_bytes as wan_bytes
    from routes
    inner join links
        on
            routes.collective_id = links.collective_id
            and routes.is_up = links.is_up
            and routes.rank = links.parent
    -- A tree of n ranks is at most n - 1 deep; this ends the walk over a message graph that is not a tree.
    where routes.depth < (select count(*) from ranks)
),

ways as (
    select
        collective_id,
        rank,
        sum(path_ns) as path_ns,
        sum(wan_ns) as wan_ns,
        sum(depth) as hops,
        sum(crossings) as crossings,
        sum(wan_bytes) as wan_bytes,
        bool_or(not is_up and depth > 0) as is_answered,
        bool_or(is_up and depth = 0) as is_root_up
    from routes
    group by collective_id, rank
),

-- Each route with the work at the end of the call: since the arrival of the result or, at the root, since the last
-- message. A rank that only sends has no such work.
call_routes as (
    select
        ways.collective_id,
        ways.rank,
        nodes.leave_ns - nodes.enter_ns as call_ns,
        ways.path_ns + greatest(
            case
                when ways.is_answered then nodes.leave_ns - greatest(nodes.answered_ns, nodes.exchanged_ns)
                when
                    ways.is_root_up
                    then nodes.leave_ns - greatest(nodes.gathered_ns, nodes.exchanged_ns, nodes.enter_ns)
                when ways.hops = 0 then nodes.leave_ns - nodes.enter_ns
                else 0
            end, 0
        ) as path_ns,
        ways.wan_ns,
        ways.hops,
        ways.crossings,
        ways.wan_bytes
    from ways
    inner join nodes on ways.collective_id = nodes.collective_id and ways.rank = nodes.rank
),

-- Routes between peers, with the ways to and from them. A leader that represents only itself has no such ways.
in_exchanges as (
    select
        chains.collective_id,
        chains.rank,
        nodes.leave_ns - nodes.enter_ns as call_ns,
        coalesce(chains.end_ns - chains.begin_ns, 0)
        + coalesce(call_routes.path_ns, nodes.leave_ns - coalesce(chains.end_ns, nodes.enter_ns)) as path_ns,
        chains.wan_ns + coalesce(call_routes.wan_ns, 0) as wan_ns,
        chains.hops + coalesce(call_routes.hops, 0) as hops,
        chains.crossings + coalesce(call_routes.crossings, 0) as crossings,
        chains.wan_bytes + coalesce(call_routes.wan_bytes, 0) as wan_bytes
    from chains
    inner join nodes on chains.collective_id = nodes.collective_id and chains.rank = nodes.rank
    left join call_routes on chains.collective_id = call_routes.collective_id and chains.rank = call_routes.rank
),

rank_routes as (
    select call_routes.*
    from call_routes
    inner join collectives on call_routes.collective_id = collectives.collective_id
    left join kinds on collectives.kind = kinds.kind
    where not coalesce(kinds.exchanges, false)

    union all by name
    select *
    from in_exchanges
)

select
    collective_id,
    rank,
    path_ns,
    wan_ns,
    greatest(call_ns - path_ns, 0) as waiting_ns,
    hops,
    crossings,
    wan_bytes
from rank_routes;
