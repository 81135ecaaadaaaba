-- The edges that hops ran over, and how much each contributes to the run's critical path.
--
-- An edge is a sender, a receiver and the role: up towards one rank, down from it, exchange between peers; hops of an
-- unrecognised algorithm have no role. Every edge that carried a hop is listed, on the path or not. Only the time of its
-- hops counts, not that of application messages between the same two ranks; `analyze critical-path --by edge` counts
-- both. took_ns is the median time from the start of the send until the receiver has the message, including any wait
-- for a late receiver. `--tree`, `--comm` and `--root` select the hops of one tree, as `analyze trees` lists them;
-- shares still refer to the whole path.
--
-- param tree VARCHAR = null -- Only hops of collectives that ran over the tree of this name.
-- param comm INTEGER = null -- Only hops of collectives on this communicator.
-- param root INTEGER = null -- Only hops of trees with this root, a trace-wide rank.
-- key edge
-- column edge VARCHAR -- Role, sender and receiver, as up 3->2.
-- column role VARCHAR -- up, down or exchange; null if the algorithm is unrecognised.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- columns of edge_weights
-- narrow share_low, waited_low, bytes, waited_share
-- exact hops, bytes
-- uses hop_trees, edge_weights, edge_name
-- only-data waited_low, waited_high
-- bar share
-- empty error the trace has no such hops; `analyze trees` lists its trees, and `hopscope run --tree binomial -- ...` makes a trace that has hops
-- example analyze tree-edges trace --comm 0 --root 0
with chosen as materialized (
    select
        collective_id,
        role
    from hop_trees
    where
        ($tree::varchar is null or tree = $tree::varchar)
        and ($comm::integer is null or comm = $comm::integer)
        and ($root::integer is null or root = $root::integer)
),

chosen_hops as (  -- noqa: ST03
    select hops.*
    from hops
    semi join chosen on hops.collective_id = chosen.collective_id and hops.role is not distinct from chosen.role
)

select
    edge_name(role, src, dst) as edge,
    *
from edge_weights('chosen_hops')
order by time_ns desc, role desc, src asc, dst asc
