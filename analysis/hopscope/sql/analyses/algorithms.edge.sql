-- Edges of one collective: sender, receiver, rounds and share of the run's critical path.
--
-- The figures cover all collectives of the same kind. A message is in round n if it is the n-th of a sequence in which
-- each message waits for the one before. Messages to oneself are left out.
--
-- grain collective given
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key edge
-- column edge VARCHAR -- Role, sender and receiver, such as up 3->2.
-- column role VARCHAR -- up (towards one rank), down (from it) or exchange; null if unrecognised.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column collectives BIGINT -- Collectives of this kind.
-- column rounds VARCHAR -- Rounds in which the edge carries messages, such as 1, 4-6.
-- column messages BIGINT -- Messages that the edge carries in one collective.
-- columns of edge_weights
-- narrow share_low, waited_low, waited_share, collectives
-- exact collectives, rounds, messages, hops, bytes
-- uses edge_weights, edge_name
-- only-data role, src, dst, waited_low, waited_high
-- then explain.algorithm_edges -- Writes the rounds.
-- bar share
-- empty error the trace has no hops of such a collective, or it is incomplete; `analyze algorithms` names one of each algorithm in the column first
-- example analyze algorithms trace --collective 0:17
with named_kinds as (
    select kind
    from collectives
    where
        comm = split_part($collective, ':', 1)::integer
        and seq = split_part($collective, ':', 2)::bigint
),

alike as (
    select
        collectives.collective_id,
        collectives.collective_id = min(collectives.collective_id) over () as is_first,
        count(*) over () as collectives
    from collectives
    inner join named_kinds on collectives.kind = named_kinds.kind
),

alike_hops as (  -- noqa: ST03
    select hops.*
    from hops
    semi join alike on hops.collective_id = alike.collective_id
    where hops.src <> hops.dst
),

-- Collectives of one kind are alike, so the first one gives the rounds and numbers of messages.
in_rounds as (
    select
        hops.role,
        hops.src,
        hops.dst,
        list(distinct hops.round) as rounds,
        count(*) as messages,
        any_value(alike.collectives) as collectives
    from hops
    inner join alike on hops.collective_id = alike.collective_id
    where alike.is_first
    group by all
)

select
    edge_name(weights.role, weights.src, weights.dst) as edge,
    weights.*,
    in_rounds.collectives,
    in_rounds.rounds,
    in_rounds.messages
from edge_weights('alike_hops') as weights
inner join in_rounds
    on
        weights.role is not distinct from in_rounds.role
        and weights.src = in_rounds.src
        and weights.dst = in_rounds.dst
order by
    weights.time_ns desc,
    weights.role is distinct from 'up' asc,
    weights.src asc,
    weights.dst asc
