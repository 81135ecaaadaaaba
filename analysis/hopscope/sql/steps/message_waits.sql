-- The late end of every message of the application, and how long the other end waited for it.
--
-- A sender is late if its send began after the receiver had begun to wait for it (binding `recv`). A receiver is late
-- if it posted its receive after the sender had begun to wait for the receive (binding `send`). An end counts as late
-- only if it is late by more than the clocks may be apart. A wait lasts from the begin of the waiting call to the begin
-- of the late send or receive, so it contains no transfer. If one call waited for several messages, only the message
-- with the latest end is charged and counts as late, so that waiting adds up to the call's waiting. wrong_order is true
-- if the receiver waited for a late sender although an earlier message of that sender, which it took only afterwards,
-- had been sent. path_ns and block are those of the run's critical path, if it runs over the message.
--
-- uses run_path
-- kept beside the dataset
create or replace view message_waits as
with late_ends as (
    select
        message_id,
        src,
        dst,
        src_location,
        dst_location,
        bytes,
        send_begin_ns,
        recv_post_ns,
        recv_end_ns,
        binding,
        clock_error_ns,
        case binding when 'recv' then dst_location when 'send' then src_location end as waiting_location,
        case binding
            when 'recv' then greatest(recv_wait_begin_ns, recv_post_ns)
            when 'send' then send_wait_begin_ns
        end as wait_begin_ns,
        case binding when 'recv' then send_begin_ns when 'send' then recv_post_ns end as needed_ns,
        max(recv_wait_begin_ns) over (
            partition by src, dst order by send_begin_ns, message_id
            rows between unbounded preceding and 1 preceding
        ) as earlier_sent_taken_ns
    from messages
),

ordered as (
    select
        *,
        -- An end that was late with both its send and its receive, as in MPI_Sendrecv, counts as late with its send.
        row_number() over (
            partition by waiting_location, wait_begin_ns
            order by needed_ns desc nulls last, binding = 'recv' desc, message_id desc
        ) as place_in_call
    from late_ends
),

waited as (
    select
        *,
        case
            when place_in_call = 1 and needed_ns - wait_begin_ns > clock_error_ns then needed_ns - wait_begin_ns
            else 0
        end as waited_ns
    from ordered
),

on_path as (
    select
        message_id,
        any_value(block) as block,
        sum(time_ns) as path_ns
    from run_path
    where message_id is not null
    group by message_id
)

select
    waited.message_id,
    waited.src,
    waited.dst,
    waited.src_location,
    waited.dst_location,
    waited.bytes,
    waited.send_begin_ns,
    waited.recv_post_ns,
    waited.waiting_location,
    waited.wait_begin_ns,
    waited.binding,
    waited.binding = 'recv' and waited.waited_ns > 0 as late_sender,
    waited.binding = 'send' and waited.waited_ns > 0 as late_receiver,
    waited.binding = 'recv' and waited.waited_ns > 0
    and coalesce(waited.earlier_sent_taken_ns >= waited.recv_end_ns, false) as wrong_order,
    if(waited.binding = 'recv', waited.waited_ns, 0) as receiver_waited_ns,
    if(waited.binding = 'send', waited.waited_ns, 0) as sender_waited_ns,
    coalesce(on_path.path_ns, 0) as path_ns,
    on_path.block
from waited
left join on_path on waited.message_id = on_path.message_id;
