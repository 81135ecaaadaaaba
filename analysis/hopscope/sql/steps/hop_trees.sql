-- The tree that each phase of a collective's hops ran over: its name, communicator and root.
--
-- One row per collective and phase with hops. The root is the one member that sends nothing towards the root, or receives nothing from it, as a trace-wide
-- rank: operations without a root of their own have one too. It is null where no single member is it, as in an exchange between peers.
create or replace view hop_trees as
with ends as (
    select
        collective_id,
        phase,
        src as rank,
        phase = 'up' as has_parent
    from hops

    union all

    select
        collective_id,
        phase,
        dst as rank,
        phase = 'down' as has_parent
    from hops
),

members_of as (
    select
        collective_id,
        phase,
        rank,
        bool_or(has_parent) as has_parent
    from ends
    group by collective_id, phase, rank
),

roots as (
    select
        collective_id,
        phase,
        case
            when count(*) filter (where not has_parent) = 1 then any_value(rank) filter (where not has_parent)
        end as root
    from members_of
    group by collective_id, phase
),

names as (
    select
        collective_id,
        any_value(tree) as tree
    from calls
    group by collective_id
)

select
    roots.collective_id,
    roots.phase,
    names.tree,
    collectives.comm,
    roots.root
from roots
inner join collectives on roots.collective_id = collectives.collective_id
left join names on roots.collective_id = names.collective_id;
