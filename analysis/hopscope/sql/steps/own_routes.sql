-- Each rank's own route to the root and back in each collective with hops, without waiting for others.
--
-- One row per rank and collective. The route follows the rank's contribution over its parents to the root and the result back down. Its time is that of its
-- messages (`edge_times`) and of the work at the nodes between: at a node on the way up from the last child's message to the node's own send, on the way down
-- from the message to the send towards this rank, at the end until leaving. Waiting for siblings on the way is not in it; the rest of the call is waiting_ns.
--
-- uses edge_times
create or replace view own_routes as
with recursive edges as materialized (
    select
        collective_id,
        phase = 'up' as is_up,
        src,
        dst,
        send_begin_ns,
        recv_end_ns,
        flight_ns,
        link = 'wan' as is_wan,
        bytes
    from edge_times
),

called as (
    select
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        calls.leave_ns
    from calls
    where calls.collective_id in (select edges.collective_id from edges)
),

gathered as (
    select
        collective_id,
        dst as rank,
        max(recv_end_ns) as recv_end_ns
    from edges
    where is_up
    group by collective_id, dst
),

-- The work before each send: since the last message that the sender needed for it, or since its enter.
links as materialized (
    select
        edges.collective_id,
        edges.is_up,
        edges.src,
        edges.dst,
        edges.recv_end_ns,
        edges.flight_ns + greatest(
            edges.send_begin_ns - greatest(
                called.enter_ns,
                coalesce(received.recv_end_ns, gathered.recv_end_ns, called.enter_ns)
            ), 0
        ) as path_ns,
        case when edges.is_wan then edges.flight_ns else 0 end as wan_ns,
        case when edges.is_wan then 1 else 0 end as crossings,
        case when edges.is_wan then edges.bytes else 0 end as wan_bytes
    from edges
    inner join called on edges.collective_id = called.collective_id and edges.src = called.rank
    left join gathered on edges.collective_id = gathered.collective_id and edges.src = gathered.rank
    left join edges as received
        on
            not edges.is_up
            and not received.is_up
            and edges.collective_id = received.collective_id
            and edges.src = received.dst
),

-- From the roots outwards: a rank's route is its parent's and the edge between them.
routes as (
    select
        ends.collective_id,
        ends.is_up,
        ends.rank,
        0 as depth,
        0::double as path_ns,
        0::double as wan_ns,
        0::bigint as crossings,
        0::bigint as wan_bytes
    from (
        select
            collective_id,
            is_up,
            case when is_up then dst else src end as rank
        from edges
        except
        select
            collective_id,
            is_up,
            case when is_up then src else dst end as rank
        from edges
    ) as ends

    union all
    select
        links.collective_id,
        links.is_up,
        case when links.is_up then links.src else links.dst end as rank,
        routes.depth + 1 as depth,
        routes.path_ns + links.path_ns as path_ns,
        routes.wan_ns + links.wan_ns as wan_ns,
        routes.crossings + links.crossings as crossings,
        (routes.wan_bytes + links.wan_bytes)::bigint as wan_bytes
    from routes
    inner join links
        on
            routes.collective_id = links.collective_id
            and routes.is_up = links.is_up
            and routes.rank = case when links.is_up then links.dst else links.src end
    -- A tree is never deeper than its ranks are many; a message graph that is no tree must not run on.
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

-- The end of the call: since the answer came, at the root since it had everything, elsewhere nothing (who only sends is done).
ended as (
    select
        ways.collective_id,
        ways.rank,
        called.leave_ns - called.enter_ns as call_ns,
        ways.path_ns + greatest(
            case
                when ways.is_answered then called.leave_ns - answers.recv_end_ns
                when ways.is_root_up then called.leave_ns - greatest(gathered.recv_end_ns, called.enter_ns)
                when ways.hops = 0 then called.leave_ns - called.enter_ns
                else 0
            end, 0
        ) as path_ns,
        ways.wan_ns,
        ways.hops,
        ways.crossings,
        ways.wan_bytes
    from ways
    inner join called on ways.collective_id = called.collective_id and ways.rank = called.rank
    left join gathered on ways.collective_id = gathered.collective_id and ways.rank = gathered.rank
    left join edges as answers
        on ways.collective_id = answers.collective_id and not answers.is_up and ways.rank = answers.dst
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
from ended;
