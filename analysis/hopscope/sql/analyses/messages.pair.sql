-- Point-to-point messages: who sends how much to whom, and who waits for whom.
--
-- A *late sender* began to send after the receiver had begun to wait; a *late receiver* posted its receive after the
-- sender had begun to wait. *Wrong order*: the receiver waited for a late sender while an earlier message of that
-- sender had already arrived.
--
-- Waiting ends when the late call begins. If a call waits for several messages, only the latest counts. By pair, the
-- waiting is what the sender causes (its receiver waits) and suffers (it waits itself).
--
-- grain by = pair default
-- key pair
-- column pair VARCHAR -- Sender and receiver, as 3->5.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column link VARCHAR -- Link class of the two ranks.
-- columns of messages_by
-- only-data src, dst
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order, link
-- exact messages, bytes
-- uses messages_by, message_waits
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace
-- example analyze messages trace --by rank
-- example analyze messages trace --by place --format csv
with labelled as (  -- noqa: ST03
    select
        *,
        { 'src': src, 'dst': dst } as key,
        true as sent,
        receiver_waited_ns as caused_ns,
        sender_waited_ns as suffered_ns
    from message_waits
)

select
    pairs.key.src::varchar || '->' || pairs.key.dst::varchar as pair,
    pairs.key.src,
    pairs.key.dst,
    link_class(pairs.key.src, sender.host, sender.cluster, pairs.key.dst, receiver.host, receiver.cluster) as link,
    pairs.* exclude (pairs.key)
from messages_by('labelled') as pairs
left join ranks as sender on pairs.key.src = sender.rank
left join ranks as receiver on pairs.key.dst = receiver.rank
order by
    pairs.waiting_caused_ns + pairs.waiting_suffered_ns desc,
    pairs.path_ns desc,
    pairs.bytes desc,
    pairs.key.src asc,
    pairs.key.dst asc
