"""Places ranks on hosts so that less time is spent on slow links, for `hopscope.advice.rank_order`.

traffic    messages and bytes between ranks
costs      costs of a message between two hosts
partition  a first placement, by a graph library
swaps      improves it
leaders    hops that belong to hosts, not to ranks
load       messages, bytes and time on links
rerun      time of the run in another order
"""
