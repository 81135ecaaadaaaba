-- The MPI call that sent each message of the application.
--
-- It is the last call to begin on the sender's thread up to the send. A call that began earlier than the send, as MPI_Startall does, started a send that was
-- set up elsewhere: its call site is null, and the message's place is unknown.
create or replace view send_calls as
with mpi_calls as (
    select
        location,
        begin_ns,
        region,
        call_site
    from whole_intervals
    where kind not in ('region', 'overhead', 'off')
)

select
    whole_messages.message_id,
    mpi_calls.region,
    case when mpi_calls.begin_ns = whole_messages.send_begin_ns then mpi_calls.call_site end as call_site
from whole_messages
asof left join mpi_calls
    on whole_messages.src_location = mpi_calls.location and whole_messages.send_begin_ns >= mpi_calls.begin_ns;
