-- How often in sequence the messages of each kind of collective go between clusters: along trees, on the worst way to the root or from it.
--
-- One row per kind that ran, and one per tree of no kind. crossings is null where the algorithm is unrecognised and messages go between clusters.
--
-- uses tree_ways
create or replace view kind_crossings as
with ways as (
    select
        tree,
        comm,
        max(crossings) as crossings
    from tree_ways
    group by tree, comm
),

ran as (
    select *
    from kinds
    where kind in (select collectives.kind from collectives)
),

of_kinds as (
    select distinct
        tree,
        comm
    from kinds
)

select
    ran.kind,
    coalesce(ways.crossings, ran.crossings, case when ran.wan_messages = 0 then 0 end) as crossings
from ran
left join ways on ran.tree = ways.tree and ran.comm = ways.comm

union all
select
    null as kind,
    ways.crossings
from ways
anti join of_kinds on ways.tree = of_kinds.tree and ways.comm = of_kinds.comm;
