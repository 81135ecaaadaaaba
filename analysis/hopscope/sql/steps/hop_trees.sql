-- The tree that the hops of each role in a collective ran over: its name, communicator and root.
--
-- One row per collective and role with hops. root is the trace-wide rank of the only member that sends no hop of role
-- `up`, or receives none of role `down`. So operations without a root of their own have one, too. It is null if there
-- is no such member or several, as in an exchange between peers. tree is the name in the table `trees` or, for
-- Hopscope's engine, the name in the tree file.
create or replace view hop_trees as
with examples as (
    select
        collective_id,
        comm,
        kind,
        min(collective_id) over (partition by coalesce(kind, -1 - collective_id)) as example
    from collectives
),

-- Collectives of a kind are alike, so only one of them is read.
ends as (
    select
        hops.collective_id,
        hops.role,
        unnest([hops.src, hops.dst]) as rank,
        unnest([hops.role = 'up', hops.role = 'down']) as has_parent
    from hops
    inner join examples on hops.collective_id = examples.collective_id
    where examples.collective_id = examples.example
),

members_of as (
    select
        collective_id,
        role,
        rank,
        bool_or(has_parent) as has_parent
    from ends
    group by collective_id, role, rank
),

roots as (
    select
        collective_id,
        role,
        case
            when count(*) filter (where not has_parent) = 1 then any_value(rank) filter (where not has_parent)
        end as root
    from members_of
    group by collective_id, role
),

-- Incomplete collectives have no kind.
names as (
    select
        calls.collective_id,
        any_value(calls.tree) as tree
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    where collectives.kind is null
    group by calls.collective_id
)

select
    examples.collective_id,
    roots.role,
    coalesce(kinds.tree, kinds.ran, names.tree) as tree,
    examples.comm,
    roots.root
from examples
inner join roots on examples.example = roots.collective_id
left join kinds on examples.kind = kinds.kind
left join names on examples.collective_id = names.collective_id;
