-- Hops over one edge over time, and whether anybody waited for them.
--
-- If there are more hops than `most`, time is cut into that many equal stretches, and each row is the longest hop of a
-- stretch.
--
-- param src INTEGER = null -- Sender.
-- param dst INTEGER = null -- Receiver.
-- param most BIGINT = 2000 -- At most this many rows.
-- key hop_id
-- column hop_id BIGINT -- Number of the hop.
-- column collective VARCHAR -- Its collective, COMM:SEQ.
-- column operation VARCHAR -- The MPI function.
-- column role VARCHAR -- up (towards one rank), down (from it) or exchange; null if unrecognised.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column link VARCHAR -- Link class of the two ranks.
-- column bytes BIGINT -- Payload.
-- column begin_ns BIGINT [at] -- Begin of the send.
-- column took_ns BIGINT -- Time from the begin of the send until the receiver had the message.
-- column binding VARCHAR -- Who waited: recv, send, none or undecided.
-- column on_path BOOLEAN -- True if on the run's critical path.
-- column hops BIGINT -- Hops that the row stands for.
-- narrow bytes, link, operation, on_path
-- exact hops
-- bar took_ns
-- empty error the trace has no hops over such an edge; `analyze tree-edges` lists the edges with hops
-- example analyze edge-hops trace --src 1 --dst 0
with over_the_edge as (
    select
        hops.*,
        count(*) over () as hop_count,
        min(hops.send_begin_ns) over () as first_ns,
        max(hops.send_begin_ns) over () as last_ns
    from hops
    where ($src is null or hops.src = $src) and ($dst is null or hops.dst = $dst)
),

in_stretches as (
    select
        *,
        case
            when hop_count <= $most then hop_id
            else (((send_begin_ns - first_ns)::hugeint * $most) // (last_ns - first_ns + 1))::bigint
        end as stretch
    from over_the_edge
),

longest as (
    select
        *,
        count(*) over (partition by stretch) as stands_for,
        row_number() over (partition by stretch order by recv_end_ns - send_begin_ns desc, hop_id asc) as place
    from in_stretches
),

on_run_path as (
    select distinct hop_id
    from path_stretches
    where path = 'run' and hop_id is not null
)

select
    longest.hop_id,
    collectives.comm::varchar || ':' || collectives.seq::varchar as collective,
    collectives.op as operation,
    longest.role,
    longest.src,
    longest.dst,
    longest.link,
    longest.bytes,
    longest.send_begin_ns as begin_ns,
    longest.recv_end_ns - longest.send_begin_ns as took_ns,
    longest.binding,
    on_run_path.hop_id is not null as on_path,
    longest.stands_for as hops
from longest
inner join collectives on longest.collective_id = collectives.collective_id
left join on_run_path on longest.hop_id = on_run_path.hop_id
where longest.place = 1
order by longest.send_begin_ns, longest.hop_id
