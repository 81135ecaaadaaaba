-- Messages of the application: who sends how much to whom, and who waits for whom.
--
-- One row per pair of ranks that exchange messages of their own (the hops inside collectives are elsewhere: `analyze
-- tree-edges`). A message can make either end wait. A *late sender* began to send only after the receiver had begun to
-- wait; a *late receiver* posted its receive only after the sender had begun to wait, which senders do where the MPI
-- library does not buffer the message. *Wrong order*: the receiver waited for a late sender while an earlier message of
-- the same sender lay there, which it took afterwards; receiving in the order of sending would have cost less. These are
-- the wait states Late Sender, Late Receiver and Messages in Wrong Order (same source) of Scalasca, see "Performance
-- properties", https://apps.fz-juelich.de/scalasca/releases/scalasca/2.4/help/scalasca_patterns-2.4.html.
--
-- Waiting runs from the begin of the call that waits to the begin of what the other end was late with: the transfer that
-- follows is not in it, but is in path_ns. A call that waits for several messages, such as MPI_Waitall or MPI_Sendrecv,
-- is charged wholly to the latest and counts as one late message, so that waiting adds up. Who waited for whom is decided
-- as for critical paths: lateness below the clocks' uncertainty counts as none, and messages of which the trace does not
-- show who waited are counted as undecided. A program that pauses between calls of MPI_Test waits outside MPI, which this does not see.
--
-- In a row, waiting is caused by the sender (of receivers, for late sends) and suffered by it (in sends, for late
-- receivers); by rank and by place, the two roles of each are added up. The critical path spends further time in calls of messages
-- that nothing delayed: `analyze critical-path` has all of it as p2p.
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
