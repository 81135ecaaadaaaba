-- Differences between two runs in exact counts that noise cannot change.
--
-- Rows are aligned as with `--by operation`. A value that varies over the collectives is written least..most. Depth,
-- rounds and crossings are null for unrecognised algorithms, messages where hops are unknown.
--
-- grain by = structure
-- param base TRACE = null -- The run to compare with.
-- key operation, place, comm, property
-- column operation VARCHAR -- The MPI function.
-- column place VARCHAR -- Call site in the new run (in the base, if gone).
-- column base_place VARCHAR -- Call site in the base; null if only the new run has it.
-- column comm INTEGER -- The communicator.
-- column property VARCHAR -- collectives, ranks, bytes, engine, tree, algorithm, messages, wan messages, rounds, depth or wan crossings.
-- column base VARCHAR -- Value in the base run; null if none.
-- column new VARCHAR -- Value in the new run; null if none.
-- column base_value DOUBLE -- The largest value in the base run; null if its values are words.
-- column new_value DOUBLE -- The largest value in the new run; null if its values are words.
-- column change DOUBLE -- Difference of the numbers.
-- column changed BOOLEAN -- True if the two differ.
-- column aligned VARCHAR -- How places were matched: place, function or order.
-- only-data base_place, base_value, new_value, aligned
-- narrow change, comm, place
-- exact *
-- uses collective_sites
-- then explain.compare_structure -- The alignment.
-- empty note neither run has a collective
-- example analyze compare base trace --by structure --fail-if "*.changed == 1"
with incomplete as (
    select
        hops.collective_id,
        count(*) as messages,
        count(*) filter (where hops.link = 'wan') as wan_messages
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    where collectives.kind is null
    group by hops.collective_id
),

called as (
    select
        collective_id,
        string_agg(distinct engine, ', ' order by engine) as engine,
        string_agg(distinct tree, ', ' order by tree) as tree
    from calls
    group by collective_id
),

structures as (
    select
        sites.op,
        sites.place,
        sites.function,
        sites.comm,
        sites.collective_id,
        sites.comm_size,
        sites.bytes,
        called.engine,
        called.tree,
        case when kinds.kind is not null then coalesce(kinds.algorithm, 'unrecognised') end as algorithm,
        -- A collective of the engine without messages ran on one rank, so it has 0. For the MPI library's, the number
        -- is unknown.
        coalesce(kinds.messages, incomplete.messages, case when called.engine = 'tree' then 0 end) as messages,
        coalesce(
            kinds.wan_messages, incomplete.wan_messages, case when called.engine = 'tree' then 0 end
        ) as wan_messages,
        kinds.rounds,
        kinds.depth,
        kinds.crossings
    from collective_sites as sites
    inner join collectives on sites.collective_id = collectives.collective_id
    left join called on sites.collective_id = called.collective_id
    left join incomplete on sites.collective_id = incomplete.collective_id
    left join kinds on collectives.kind = kinds.kind
),

number_ranges as (
    select
        op,
        place,
        function,
        comm,
        min(collective_id) as first_id,
        count(*) as collectives,
        unnest(['ranks', 'bytes', 'messages', 'wan messages', 'rounds', 'depth', 'wan crossings']) as property,
        unnest([
            min(comm_size), min(bytes), min(messages), min(wan_messages), min(rounds), min(depth), min(crossings)
        ]) as lowest,
        unnest([
            max(comm_size), max(bytes), max(messages), max(wan_messages), max(rounds), max(depth), max(crossings)
        ]) as highest
    from structures
    group by op, place, function, comm
),

text_values as (
    select
        op,
        place,
        function,
        comm,
        min(collective_id) as first_id,
        unnest(['engine', 'tree', 'algorithm']) as property,
        unnest([
            string_agg(distinct engine, ', ' order by engine),
            string_agg(distinct tree, ', ' order by tree),
            string_agg(distinct algorithm, ', ' order by algorithm)
        ]) as words
    from structures
    group by op, place, function, comm
),

properties as (
    select distinct
        op,
        place,
        function,
        comm,
        first_id,
        'collectives' as property,
        collectives::varchar as words,
        collectives::double as value
    from number_ranges

    union all
    select
        op,
        place,
        function,
        comm,
        first_id,
        property,
        case when lowest = highest then highest::varchar else lowest::varchar || '..' || highest::varchar end as words,
        highest::double as value
    from number_ranges
    where highest is not null

    union all
    select
        op,
        place,
        function,
        comm,
        first_id,
        property,
        words,
        null as value
    from text_values
    where words is not null
)

select
    op,
    place,
    function,
    comm,
    property,
    words,
    value
from properties
order by first_id, op, place, comm, property
