-- Edges that hops ran over, and what each contributes to the run's critical path.
--
-- Shares refer to the whole path, also with `--tree`, `--comm` or `--root`. Messages of the program between the same
-- ranks do not count.
--
-- param tree VARCHAR = null -- Only hops over the tree of this name.
-- param comm INTEGER = null -- Only this communicator.
-- param root INTEGER = null -- Only trees with this root, a trace-wide rank.
-- key edge
-- column edge VARCHAR -- Role, sender and receiver, such as up 3->2.
-- column role VARCHAR -- up (towards one rank), down (from it) or exchange; null if unrecognised.
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
with selected_trees as materialized (
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
    semi join
        selected_trees
        on hops.collective_id = selected_trees.collective_id and hops.role is not distinct from selected_trees.role
)

select
    edge_name(role, src, dst) as edge,
    *
from edge_weights('chosen_hops')
order by time_ns desc, role desc, src asc, dst asc
