-- The trees that ran: who was whose parent.
--
-- One row per tree, communicator, root, role and member. Trees that gather (up) and that distribute (down) may differ. The root of a tree has no parent.
-- Those of Hopscope's engine have the name that the tree file gives them, those of the MPI library the name of the algorithm. Leaders' groups and what is
-- folded before an exchange are no trees of their own.
--
-- key tree, comm, root, role, rank
-- column tree VARCHAR -- Name of the tree.
-- column comm INTEGER -- The communicator.
-- column root INTEGER -- Root, as a trace-wide rank.
-- column role VARCHAR -- up for the tree that gathers, down for the one that distributes.
-- column rank INTEGER -- The member, as a trace-wide rank.
-- column parent INTEGER -- Its parent, as a trace-wide rank; null for the root.
-- column child_order INTEGER -- Its position among its siblings, from 0.
-- column link VARCHAR -- Link class to the parent; null for the root.
-- column host VARCHAR -- The member's host.
-- column cluster VARCHAR -- The member's cluster.
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
