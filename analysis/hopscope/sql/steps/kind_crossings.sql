-- The number of messages between clusters that follow one another, for each kind of collective.
--
-- Over a tree, it is the number on the worst way to the root or from it.
--
-- One row per kind that ran, one per tree that belongs to no kind, and one for all collectives that span several
-- clusters and have no hops. crossings is null if it is unknown: if the algorithm is unrecognised and messages go
-- between clusters or are missing, or if there are no hops.
--
-- uses tree_ways, members
create or replace view kind_crossings as
with ways as (
    select
        tree,
        comm,
        max(crossings) as crossings
    from tree_ways
    group by tree, comm
),

spanning as (
    select members.comm
    from members
    inner join ranks on members.rank = ranks.rank
    group by members.comm
    having count(distinct ranks.cluster) > 1
),

recorded_kinds as (
    select
        kind,
        -- These reasons mean that messages are missing. Any other reason leaves open only who waited for them.
        bool_or(coalesce(native_reason in ('unmatched', 'silent', 'shared'), false)) as has_gaps
    from collectives
    where kind is not null
    group by kind
),

without_hops as (
    select distinct collectives.kind
    from collectives
    semi join spanning on collectives.comm = spanning.comm
    where collectives.complete and collectives.kind is null
),

of_kinds as (
    select distinct
        tree,
        comm
    from kinds
)

select
    recorded_kinds.kind,
    coalesce(
        ways.crossings,
        kinds.crossings,
        case when spanning.comm is null or (kinds.wan_messages = 0 and not recorded_kinds.has_gaps) then 0 end
    ) as crossings
from recorded_kinds
inner join kinds on recorded_kinds.kind = kinds.kind
left join spanning on kinds.comm = spanning.comm
left join ways on kinds.tree = ways.tree and kinds.comm = ways.comm

union all
select
    null as kind,
    ways.crossings
from ways
anti join of_kinds on ways.tree = of_kinds.tree and ways.comm = of_kinds.comm

union all
select
    kind,
    null as crossings
from without_hops;
