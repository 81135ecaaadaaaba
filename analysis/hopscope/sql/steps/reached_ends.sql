-- The end of the path that leads to what the others waited for in a collective.
--
-- The path ends where a rank started the collective, or where it began to wait for it. One row per complete collective
-- with such a path (`lead`). at_ns is the end of the path, message_ns its time in messages. is_wait is true if the path
-- ends at a wait for a nonblocking collective. In that case, each rank's computing up to its wait counts.
create or replace view reached_ends as
with leads as materialized (
    select
        path_stretches.path_collective_id as collective_id,
        max(path_stretches.end_ns) as at_ns,
        coalesce(
            sum(path_stretches.end_ns - path_stretches.begin_ns) filter (where path_stretches.category = 'p2p'), 0
        ) as message_ns
    from path_stretches
    inner join collectives on path_stretches.path_collective_id = collectives.collective_id
    where path_stretches.path = 'lead' and collectives.complete
    group by path_stretches.path_collective_id
)

select
    calls.collective_id,
    leads.at_ns,
    leads.message_ns,
    coalesce(bool_or(leads.at_ns = calls.wait_begin_ns), false) as is_wait
from calls
inner join leads on calls.collective_id = leads.collective_id
group by calls.collective_id, leads.at_ns, leads.message_ns;
