-- Point-to-point messages by pair of clusters.
--
-- Messages within a cluster are in the row from the cluster to itself. See `analyze messages --help`.
--
-- grain by = cluster
-- key pair
-- column pair VARCHAR -- Both clusters, as a->b.
-- column src_cluster VARCHAR -- Cluster of the sender.
-- column dst_cluster VARCHAR -- Cluster of the receiver.
-- columns of messages_by
-- only-data src_cluster, dst_cluster
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_between
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace --by cluster
select
    pair,
    sender as src_cluster,
    receiver as dst_cluster,
    * exclude (pair, sender, receiver)
from messages_between(cluster)
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, src_cluster asc, dst_cluster asc
