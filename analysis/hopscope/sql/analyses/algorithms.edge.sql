-- Who sent to whom in one collective, in which rounds, and what each edge contributes to the run's critical path.
--
-- The messages are those of the collective and of all that are like it: same operation, communicator, root, payload and messages. One row per edge, a sender
-- and a receiver. If the edges are a tree, `phase` is up (towards its root) or down (from it); of two trees one may follow the
-- other. Any other exchange between peers is `exchange`.
--
-- A message is of round n if n messages, one after the other, lead up to it, itself included: a sender waits for what it has to pass on. The algorithm says
-- so; if it is unrecognised, the times do, and all messages that a sender had received count. Messages to oneself are left out. Times and shares are as in
-- `analyze tree-edges`.
--
-- grain collective given
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key edge
-- column edge VARCHAR -- Phase, sender and receiver, as up 3->2.
-- column phase VARCHAR -- up, down or exchange.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column collectives BIGINT -- How many collectives are alike, this one included.
-- column rounds VARCHAR -- The rounds in which it carries messages, as 1, 4-6.
-- column messages BIGINT -- How many it carries in one collective.
-- columns of edge_weights
-- narrow share_low, waited_low, waited_share, collectives
-- exact collectives, rounds, messages, hops, bytes
-- uses algorithm_kinds, algorithm_examples, edge_weights, members
-- only-data phase, src, dst, waited_low, waited_high
-- then algorithms.edges -- Finds the rounds and the trees.
-- bar share
-- empty error the trace has no hops of such a collective, or it is incomplete; `analyze algorithms` names one of each algorithm in the column first
-- example analyze algorithms trace --collective 0:17
with kinds as materialized (
    select *
    from algorithm_kinds(split_part($collective, ':', 1)::integer, null::bigint)
),

named as (
    select kind
    from kinds
    where seq = split_part($collective, ':', 2)::bigint
),

alike as (
    select kinds.*
    from kinds
    semi join named on kinds.kind = named.kind
),

examples as (
    select *
    from algorithm_examples('alike')
),

alike_hops as (  -- noqa: ST03
    select hops.* replace ('' as phase)
    from hops
    semi join alike on hops.collective_id = alike.collective_id
    where hops.src <> hops.dst
),

-- Only the first example carries them.
weighed as (
    select
        min(alike.kind) as kind,
        list(weights order by weights.src, weights.dst) as edges,  -- noqa: RF02
        list(senders.comm_rank order by weights.src, weights.dst) as edge_src,
        list(receivers.comm_rank order by weights.src, weights.dst) as edge_dst
    from edge_weights('alike_hops') as weights
    inner join alike on alike.nth = 0
    inner join members as senders on alike.comm = senders.comm and weights.src = senders.rank
    inner join members as receivers on alike.comm = receivers.comm and weights.dst = receivers.rank
)

select
    examples.*,
    weighed.edges,
    weighed.edge_src,
    weighed.edge_dst
from examples
left join weighed on examples.collective_id = weighed.kind
order by examples.collective_id
