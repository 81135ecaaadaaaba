"""Places ranks on hosts so that less time is spent on slow links, for `hopscope.advice.rank_order`.

traffic    messages and bytes between ranks
costs      costs of a message between two hosts
partition  a first placement, by a graph library
swaps      swaps of ranks that improve a placement
leaders    hops that stay between the same hosts in every rank order
load       messages, bytes and time on links
rerun      time of the run in another order
hosts      a check that the launcher can place ranks
answer     the sentences
"""
