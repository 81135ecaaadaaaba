-- The hops of one collective, with their times at both ends.
--
-- One row per message, in the order of sending. binding is recv if the receiver waited for the message, send if both
-- ends waited because the receive was posted late.
--
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key hop_id
-- column hop_id BIGINT -- Number of the hop.
-- column role VARCHAR -- up (towards one rank), down (from it) or exchange; null if unrecognised.
-- column round INTEGER -- Number of the hop, from 1, in a sequence of messages in which each waits for the one before;
--    null if the collective is incomplete.
-- column segment INTEGER -- Segment, from 0.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column link VARCHAR -- Link class: self, shm, lan or wan.
-- column bytes BIGINT -- Payload.
-- column send_begin_ns BIGINT [at] -- Begin of the send.
-- column send_end_ns BIGINT [at] -- Completion at the sender; null if never seen.
-- column recv_post_ns BIGINT [at] -- Time at which the receive was posted.
-- column recv_wait_begin_ns BIGINT [at] -- Time at which the receiver began to wait; null if it never did.
-- column recv_end_ns BIGINT [at] -- Time at which the receiver saw the message complete.
-- column time_ns BIGINT -- Time from the begin of the send to the end of the receive.
-- column binding VARCHAR -- Who waited: recv, send, none or undecided.
-- column on_path BOOLEAN -- True if the hop is on the collective's critical path.
-- column source VARCHAR -- tree (sent by Hopscope's engine) or native (by the MPI library).
-- column clock_error_ns BIGINT -- Uncertainty of comparing both ends' clocks.
-- narrow bytes, recv_post_ns, time_ns, on_path
-- only-data round, segment, send_end_ns, recv_wait_begin_ns, source, clock_error_ns
-- bar time_ns
-- empty error the trace has no hops of such a collective; `analyze collectives` lists the collectives with their hops
-- example analyze collective-hops trace --collective 0:17
with selection as (
    select collective_id
    from collectives
    where comm = split_part($collective, ':', 1)::integer and seq = split_part($collective, ':', 2)::bigint
),

stretches as (
    select distinct hop_id
    from path_stretches
    where path = 'collective' and path_collective_id in (select selection.collective_id from selection)
)

select
    hops.hop_id,
    hops.role,
    hops.round,
    hops.segment,
    hops.src,
    hops.dst,
    hops.link,
    hops.bytes,
    hops.send_begin_ns,
    hops.send_end_ns,
    hops.recv_post_ns,
    hops.recv_wait_begin_ns,
    hops.recv_end_ns,
    hops.recv_end_ns - hops.send_begin_ns as time_ns,
    hops.binding,
    stretches.hop_id is not null as on_path,
    hops.source,
    hops.clock_error_ns
from selection
inner join hops on selection.collective_id = hops.collective_id
left join stretches on hops.hop_id = stretches.hop_id
order by hops.send_begin_ns, hops.hop_id
