-- Point-to-point messages by size in powers of two.
--
-- Late receivers occur from the size on at which the library stops buffering. See `analyze messages --help`.
--
-- grain by = size
-- key from_bytes
-- column from_bytes BIGINT -- Smallest size of the row's messages; 0 for messages without payload.
-- column below_bytes BIGINT -- Size that all messages of the row are below.
-- columns of messages_by
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_by, message_waits
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace --by size
with labelled as (  -- noqa: ST03
    select
        *,
        case when bytes > 0 then 1::bigint << (length(bin(bytes)) - 1) else 0 end as key,
        true as sent,
        receiver_waited_ns as caused_ns,
        sender_waited_ns as suffered_ns
    from message_waits
)

select
    key::bigint as from_bytes,
    greatest(2 * key, 1)::bigint as below_bytes,
    * exclude (key)
from messages_by('labelled')
order by key
