-- Messages of the application, by the place in the program that sent them.
--
-- A place is the function and source line that called MPI, as in `analyze critical-path --by place`; `unknown` stands for
-- call sites that the collector could not record. What the columns mean is explained in `analyze messages --help`.
--
-- grain by = place
-- key place
-- column place VARCHAR -- Where the sending MPI function was called from.
-- columns of messages_by
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_by, message_waits
-- bar path_share
-- empty note the trace has no messages of the application
-- example analyze messages trace --by place
with mpi_calls as (
    select
        whole_intervals.location,
        whole_intervals.begin_ns,
        coalesce(places.place, whole_intervals.call_site) as place
    from whole_intervals
    left join places on whole_intervals.call_site = places.call_site
    where whole_intervals.kind not in ('region', 'overhead', 'off')
),

-- The call that began the send is the last one to begin on its thread up to then.
labelled as (  -- noqa: ST03
    select
        message_waits.*,
        coalesce(if(mpi_calls.begin_ns = message_waits.send_begin_ns, mpi_calls.place, null), 'unknown') as key,
        true as sent,
        message_waits.receiver_waited_ns as caused_ns,
        message_waits.sender_waited_ns as suffered_ns
    from message_waits
    asof left join mpi_calls
        on message_waits.src_location = mpi_calls.location and message_waits.send_begin_ns >= mpi_calls.begin_ns
)

select
    key as place,
    * exclude (key)
from messages_by('labelled')
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, key asc
