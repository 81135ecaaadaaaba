-- How deep the tree of each collective is, and how often its worst way goes between clusters.
--
-- One row per collective whose trees are known. depth is the number of messages in sequence from the deepest rank to the root; wan_crossings those of
-- them that go between clusters, on the worst way up and the worst way down together.
--
-- uses tree_ways
create or replace view tree_depths as
with shapes as (
    select
        tree,
        comm,
        root,
        max(depth) as depth,
        sum(crossings) as wan_crossings
    from tree_ways
    group by tree, comm, root
),

used as (
    select
        collectives.collective_id,
        collectives.comm,
        collectives.root,
        any_value(calls.tree) as tree
    from collectives
    inner join calls on collectives.collective_id = calls.collective_id
    where calls.engine = 'tree'
    group by collectives.collective_id, collectives.comm, collectives.root
)

select
    used.collective_id,
    max(shapes.depth) as depth,
    max(shapes.wan_crossings)::bigint as wan_crossings
from used
inner join shapes
    on used.tree = shapes.tree and used.comm = shapes.comm and (used.root is null or used.root = shapes.root)
group by used.collective_id;
