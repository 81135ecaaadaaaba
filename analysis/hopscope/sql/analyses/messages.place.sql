-- Point-to-point messages by call site.
--
-- Messages, bytes and time on the path are counted at the sending call. Waiting is counted at the call that caused it
-- and at the call that suffered it. See `analyze messages --help`.
--
-- grain by = place
-- key place
-- column place VARCHAR -- Call site.
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
