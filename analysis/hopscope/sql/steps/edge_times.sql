-- Every edge that a collective used towards its root or from it, with the time that its message took on the way.
--
-- One row per collective, direction and directed pair; segments are taken together. If the receiver waited for the
-- message, its time is from send to receive; if a late receiver held it back, from the post of the receive to its end.
-- A message that arrived before the receiver needed it was noticed late. It gets the median time of the messages that
-- were waited for on the same edge, or else in the same link class, but at most its own time from send to receive. If
-- neither median exists, it keeps its own time.
create or replace view edge_times as
with edges as materialized (
    select
        hops.collective_id,
        hops.role = 'up' as is_up,
        hops.src,
        hops.dst,
        any_value(hops.link) as link,
        min(hops.send_begin_ns) as send_begin_ns,
        max(hops.recv_end_ns) as recv_end_ns,
        greatest(
            max(hops.recv_end_ns)
            - min(greatest(hops.send_begin_ns, case when hops.binding = 'send' then hops.recv_post_ns end)),
            0
        ) as seen_ns,
        bool_or(hops.binding = 'recv') as is_binding,
        sum(hops.bytes)::bigint as bytes
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    where collectives.complete and hops.role in ('up', 'down')
    group by all
),

by_pair as (
    select
        src,
        dst,
        median(seen_ns) as usual_ns
    from edges
    where is_binding
    group by src, dst
),

by_link as (
    select
        link,
        median(seen_ns) as usual_ns
    from edges
    where is_binding
    group by link
)

select
    edges.*,
    case
        when edges.is_binding then edges.seen_ns
        else least(edges.seen_ns, coalesce(by_pair.usual_ns, by_link.usual_ns, edges.seen_ns))
    end as flight_ns
from edges
left join by_pair on edges.src = by_pair.src and edges.dst = by_pair.dst
left join by_link on edges.link = by_link.link;
