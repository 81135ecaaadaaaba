-- The depth of each role of a tree, and the crossings between clusters on its worst way to the root.
--
-- One row per tree, communicator, root and role. depth is the number of messages in sequence between the deepest rank
-- and the root. crossings is the largest number of messages between clusters on the way of any one rank.
--
-- uses members
create or replace view tree_ways as
with recursive placed as (
    select
        trees.tree,
        trees.comm,
        trees.root,
        trees.role,
        trees.rank,
        trees.parent,
        (child_place.cluster is distinct from parent_place.cluster and trees.parent is not null)::integer as crosses
    from trees
    left join members as children on trees.comm = children.comm and trees.rank = children.comm_rank
    left join members as parents on trees.comm = parents.comm and trees.parent = parents.comm_rank
    left join ranks as child_place on children.rank = child_place.rank
    left join ranks as parent_place on parents.rank = parent_place.rank
),

walked as (
    select
        tree,
        comm,
        root,
        role,
        rank,
        0 as depth,
        0 as crossings
    from placed
    where parent is null

    union all
    -- A tree of n ranks is at most n - 1 deep; anything deeper would be a cycle.
    select
        placed.tree,
        placed.comm,
        placed.root,
        placed.role,
        placed.rank,
        walked.depth + 1 as depth,
        walked.crossings + placed.crosses as crossings
    from walked
    inner join placed
        on
            walked.tree = placed.tree
            and walked.comm = placed.comm
            and walked.root = placed.root
            and walked.role = placed.role
            and walked.rank = placed.parent
    where walked.depth < (select count(*) from ranks)
)

select
    tree,
    comm,
    root,
    role,
    max(depth) as depth,
    max(crossings) as crossings
from walked
group by tree, comm, root, role;
