-- The MPI calls that the application's messages went through: those that sent, that posted receives, and that waited.
--
-- One row for each call of each message, for the whole run. sends is true if the call began the send.
--
-- uses calls_at
create or replace view message_calls as
with ends as (  -- noqa: ST03
    select
        message_id,
        src_location as location,
        send_begin_ns as at_ns,
        true as sends
    from whole_messages

    union all
    select
        message_id,
        src_location as location,
        send_wait_begin_ns as at_ns,
        false as sends
    from whole_messages
    where send_wait_begin_ns <> send_begin_ns

    union all
    select
        message_id,
        dst_location as location,
        recv_post_ns as at_ns,
        false as sends
    from whole_messages

    union all
    select
        message_id,
        dst_location as location,
        recv_wait_begin_ns as at_ns,
        false as sends
    from whole_messages
    where recv_wait_begin_ns <> recv_post_ns
)

select
    message_id,
    sends,
    region,
    call_site
from calls_at('ends');
