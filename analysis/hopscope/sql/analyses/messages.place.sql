-- Messages of the application, by the place in the program.
--
-- A place is the function and source line that called MPI, as in `analyze critical-path --by place`; `unknown` stands for
-- call sites that the collector could not record. Messages, bytes and the critical path count for the place that sent
-- them. Waiting counts for the place that caused it, by sending late or by posting a receive late, and for the one that
-- suffered it in the call that waited, so both columns have the same sum. late_senders are messages sent late there,
-- late_receivers those whose receive was posted late there, wrong_order those waited for there in the wrong order.
-- The columns are explained in `analyze messages --help`.
--
-- grain by = place
-- key place
-- column place VARCHAR -- Where the MPI function was called from.
-- columns of messages_by
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_by, messages_at_places
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace --by place
select
    key as place,
    * exclude (key)
from messages_by('messages_at_places')
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, key asc
