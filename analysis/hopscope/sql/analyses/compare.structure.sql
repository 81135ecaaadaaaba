-- What two runs did differently, in exact counts that noise cannot change.
--
-- For the collectives of each operation, place and communicator, aligned as by operation: their number, payload, engine, and tree or
-- algorithm; the messages of one collective, and how many of them go between clusters; over a tree also its depth, and
-- how many times the worst way to the root and back crosses between clusters. None of this depends on time, so a gate
-- on it never flakes. A value that varies over the collectives reads least..most.
--
-- grain by = structure
-- param base TRACE = null -- The run to compare with.
-- key operation, place, comm, property
-- column operation VARCHAR -- The MPI function.
-- column place VARCHAR -- Where it was called from, in the new run (in the base, if gone).
-- column base_place VARCHAR -- Where it was called from in the base; null if only the new run has it.
-- column comm INTEGER -- The communicator.
-- column property VARCHAR -- collectives, ranks, bytes, engine, tree, messages, wan messages, rounds, depth or wan crossings.
-- column base VARCHAR -- Its value in the base; null where it has none.
-- column new VARCHAR -- Its value in the new run.
-- column base_value DOUBLE -- The largest value in the base as a number; null for words.
-- column new_value DOUBLE -- The largest value in the new run as a number.
-- column change DOUBLE -- The difference of the two numbers.
-- column changed BOOLEAN -- Whether the two differ.
-- column aligned VARCHAR -- How the places of both runs were matched: by `place`, `function` or `order` of first use.
-- only-data base_place, base_value, new_value, aligned
-- narrow change, comm, place
-- exact *
-- uses collective_sites, tree_depths
-- then verdicts.compare_structure -- The alignment.
-- empty note neither run has a collective
-- example analyze compare base trace --by structure --fail-if "*.changed == 1"
with hop_counts as (
    select
        collective_id,
        count(*) as messages,
        count(*) filter (where link = 'wan') as wan_messages,
        max(round) + 1 as rounds
    from hops
    group by collective_id
),

called as (
    select
        collective_id,
        string_agg(distinct engine, ', ' order by engine) as engine,
        string_agg(distinct tree, ', ' order by tree) as tree
    from calls
    group by collective_id
),

seen as (
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
        coalesce(hop_counts.messages, 0) as messages,
        coalesce(hop_counts.wan_messages, 0) as wan_messages,
        hop_counts.rounds,
        tree_depths.depth,
        tree_depths.wan_crossings
    from collective_sites as sites
    left join called on sites.collective_id = called.collective_id
    left join hop_counts on sites.collective_id = hop_counts.collective_id
    left join tree_depths on sites.collective_id = tree_depths.collective_id
),

counted as (
    select
        op,
        place,
        function,
        comm,
        min(collective_id) as first_id,
        count(*) as collectives,
        unnest(['ranks', 'bytes', 'messages', 'wan messages', 'rounds', 'depth', 'wan crossings']) as property,
        unnest([
            min(comm_size), min(bytes), min(messages), min(wan_messages), min(rounds), min(depth), min(wan_crossings)
        ]) as least,
        unnest([
            max(comm_size), max(bytes), max(messages), max(wan_messages), max(rounds), max(depth), max(wan_crossings)
        ]) as most
    from seen
    group by op, place, function, comm
),

named as (
    select
        op,
        place,
        function,
        comm,
        min(collective_id) as first_id,
        unnest(['engine', 'tree']) as property,
        unnest([
            string_agg(distinct engine, ', ' order by engine), string_agg(distinct tree, ', ' order by tree)
        ]) as words
    from seen
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
    from counted

    union all
    select
        op,
        place,
        function,
        comm,
        first_id,
        property,
        case when least = most then most::varchar else least::varchar || '..' || most::varchar end as words,
        most::double as value
    from counted
    where most is not null

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
    from named
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
