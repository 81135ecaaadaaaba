-- Trees that ran: each member and its parent.
--
-- One row per tree, communicator, root, role and member. Names are those of the tree file, or of the MPI library's
-- algorithm.
--
-- key tree, comm, root, role, rank
-- column tree VARCHAR -- Name of the tree.
-- column comm INTEGER -- The communicator.
-- column root INTEGER -- Root, a trace-wide rank.
-- column role VARCHAR -- up (gathers) or down (distributes).
-- column rank INTEGER -- Member, a trace-wide rank.
-- column parent INTEGER -- Parent of the member; null for the root.
-- column child_order INTEGER -- Position of the member among its siblings, from 0.
-- column link VARCHAR -- Class of the link to the parent; null for the root.
-- column host VARCHAR -- The host, as in the topology.
-- column cluster VARCHAR -- The cluster, as in the topology.
-- exact *
-- uses members
-- empty note no collective whose hops are known ran on a tree; `analyze algorithms` lists what ran, and `hopscope run --tree binomial` runs trees
-- example analyze trees trace
select
    trees.tree,
    trees.comm,
    roots.rank as root,
    trees.role,
    children.rank,
    parents.rank as parent,
    trees.child_order,
    case
        when parents.rank is not null
            then link_class(
                children.rank, child_place.host, child_place.cluster,
                parents.rank, parent_place.host, parent_place.cluster
            )
    end as link,
    child_place.host,
    child_place.cluster
from trees
left join members as children on trees.comm = children.comm and trees.rank = children.comm_rank
left join members as parents on trees.comm = parents.comm and trees.parent = parents.comm_rank
left join members as roots on trees.comm = roots.comm and trees.root = roots.comm_rank
left join ranks as child_place on children.rank = child_place.rank
left join ranks as parent_place on parents.rank = parent_place.rank
order by trees.comm, trees.tree, trees.root, trees.role, children.rank
