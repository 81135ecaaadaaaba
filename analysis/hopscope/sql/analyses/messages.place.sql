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
-- uses messages_by, message_waits, send_calls
-- bar path_share
-- empty note the trace has no messages of the application
-- example analyze messages trace --by place
with labelled as (  -- noqa: ST03
    select
        message_waits.*,
        coalesce(places.place, send_calls.call_site, unknown_place()) as key,
        true as sent,
        message_waits.receiver_waited_ns as caused_ns,
        message_waits.sender_waited_ns as suffered_ns
    from message_waits
    left join send_calls on message_waits.message_id = send_calls.message_id
    left join places on send_calls.call_site = places.call_site
)

select
    key as place,
    * exclude (key)
from messages_by('labelled')
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, key asc
