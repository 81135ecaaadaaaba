-- Point-to-point messages by rank.
--
-- Messages, bytes and time on the path are counted at the sender. Waiting is counted at the rank that caused it and at
-- the rank that suffered it. See `analyze messages --help`.
--
-- grain by = rank
-- key rank
-- column rank INTEGER -- The rank.
-- columns of messages_by
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_by, message_waits
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace --by rank
with labelled as (  -- noqa: ST03
    select
        * exclude (late_receiver, wrong_order),
        src as key,
        true as sent,
        receiver_waited_ns as caused_ns,
        sender_waited_ns as suffered_ns,
        false as late_receiver,
        false as wrong_order
    from message_waits

    union all by name
    select
        * exclude (late_sender),
        dst as key,
        false as sent,
        sender_waited_ns as caused_ns,
        receiver_waited_ns as suffered_ns,
        false as late_sender
    from message_waits
)

select
    key as rank,
    * exclude (key)
from messages_by('labelled')
order by waiting_caused_ns desc, path_ns desc, key asc
