-- Point-to-point messages by pair of hosts.
--
-- Messages within a host are in the row from the host to itself. See `analyze messages --help`.
--
-- grain by = host
-- key pair
-- column pair VARCHAR -- Both hosts, as a->b.
-- column src_host VARCHAR -- Host of the sender.
-- column dst_host VARCHAR -- Host of the receiver.
-- columns of messages_by
-- only-data src_host, dst_host
-- narrow path_share_low, path_share_high, path_ns, undecided, wrong_order
-- exact messages, bytes
-- uses messages_between
-- bar path_share
-- empty note there are no messages of the application
-- example analyze messages trace --by host
select
    pair,
    sender as src_host,
    receiver as dst_host,
    * exclude (pair, sender, receiver)
from messages_between(host)
order by waiting_caused_ns + waiting_suffered_ns desc, path_ns desc, bytes desc, src_host asc, dst_host asc
