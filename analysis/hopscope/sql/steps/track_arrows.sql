-- The arrows between the tracks: every hop and every message of the application, from its send to its receive.
--
-- One row per hop or message. arrow_id is unique over both: twice the hop's number, or twice the message's number plus
-- one. Clocks that are a little apart can make an arrow point backwards; then receive_ns is before send_ns.
create or replace view track_arrows as
select
    2 * hops.hop_id as arrow_id,
    'hop' as kind,
    hops.src,
    hops.src_location,
    hops.send_begin_ns as send_ns,
    hops.dst,
    hops.dst_location,
    hops.recv_end_ns as receive_ns,
    collectives.comm::varchar || ':' || collectives.seq::varchar as collective,
    hops.bytes,
    concat_ws(', ', hops.link, hops.role) as detail
from hops
inner join collectives on hops.collective_id = collectives.collective_id
union all
select
    2 * message_id + 1 as arrow_id,
    'message' as kind,
    src,
    src_location,
    send_begin_ns as send_ns,
    dst,
    dst_location,
    recv_end_ns as receive_ns,
    null as collective,
    bytes,
    link || ', tag ' || tag as detail
from messages;
