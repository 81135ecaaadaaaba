-- Messages of the application, by the pair of clusters that they run between.
--
-- Messages within a cluster are the row from it to itself. What the columns mean is explained in `analyze messages --help`.
--
-- grain by = cluster
-- key pair
-- column pair VARCHAR -- The sender's cluster and the receiver's, as a->b.
-- column src_cluster VARCHAR -- The sender's cluster.
-- column dst_cluster VARCHAR -- The receiver's cluster.
-- columns of messages_by
-- only-data src_cluster, dst_cluster
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_by, message_waits
-- bar path_share
-- empty note the trace has no messages of the application
-- example analyze messages trace --by cluster
with labelled as (  -- noqa: ST03
    select
        message_waits.*,
        { 'src': sender.cluster, 'dst': receiver.cluster } as key,
        true as sent,
        message_waits.receiver_waited_ns as caused_ns,
        message_waits.sender_waited_ns as suffered_ns
    from message_waits
    inner join ranks as sender on message_waits.src = sender.rank
    inner join ranks as receiver on message_waits.dst = receiver.rank
)

select
    key.src || '->' || key.dst as pair,
    key.src as src_cluster,
    key.dst as dst_cluster,
    * exclude (key)
from messages_by('labelled')
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, key.src asc, key.dst asc
