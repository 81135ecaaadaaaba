-- Contents of the trace, one item per row.
--
-- Rows show the program, its ranks, and calls, hops and time of each operation. `analyze trust` shows clocks, missing
-- data, engines, emulation and the cost of tracing.
--
-- grain by = item default
-- whole run
-- key item
-- column section VARCHAR -- run or operations.
-- column item VARCHAR -- Name of the item.
-- column value DOUBLE [of unit] -- Value; null if the item has words instead.
-- column unit VARCHAR -- Unit of the value: ns, bytes, share, ranks and the like; null for a plain number.
-- column note VARCHAR -- The value in words, or a remark.
-- uses rank_times, share_of, quantity
-- only-data unit
-- example analyze summary trace --fail-if 'ranks.value != 64'
with rank_sum as (
    select sum(time_ns) as time_ns from rank_times
),

message_totals as (
    select
        count(*) as messages,
        coalesce(sum(bytes), 0) as bytes
    from messages
),

worlds as (
    select
        world,
        min(rank) as first_rank,
        max(rank) as last_rank
    from ranks
    group by world
),

operations as (
    select
        collectives.op,
        count(*) as calls,
        count(distinct calls.collective_id) as collectives,
        sum(
            coalesce(calls.complete_ns, calls.leave_ns, calls.enter_ns)
            - coalesce(calls.wait_begin_ns, calls.enter_ns)
        ) as time_ns
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    group by collectives.op
),

hop_counts as (
    select
        collectives.op,
        count(*) as hops,
        sum(hops.bytes) as bytes
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    group by collectives.op
),

items as (
    select
        1 as place,
        'run' as section,
        unnest(range(11)) as line,
        unnest([
            'run',
            'command',
            'MPI library',
            'started',
            'mode',
            'tree file',
            'duration',
            'ranks',
            'threads',
            'hosts',
            'clusters'
        ]) as item,
        unnest([
            null, null, null, null, null, null, duration_ns, ranks, threads, hosts, clusters
        ])::double as value,
        unnest([
            null, null, null, null, null, null, 'ns', null, null, null, null
        ]) as unit,
        unnest([
            run, command, mpi_library, started_at, mode,
            coalesce(
                case when json_valid(tree_file) then json_extract_string(tree_file, '$.name') end, left(tree_hash, 12)
            ),
            null, null, null, null, null
        ]) as note
    from run

    union all
    select
        1 as place,
        'run' as section,
        7 as line, -- behind `ranks`
        'worlds' as item,
        count(*)::double as value,
        null as unit,
        string_agg(
            printf('world %d: ranks %d to %d', worlds.world, worlds.first_rank, worlds.last_rank),
            ', '
            order by worlds.world
        ) as note
    from worlds
    having count(*) > 1

    union all
    select
        2 as place,
        'operations' as section,
        0 as line,
        'calls of ' || op as item,
        calls::double as value,
        null as unit,
        quantity(collectives, 'collectives') as note
    from operations

    union all
    select
        2 as place,
        'operations' as section,
        0 as line,
        'time in ' || operations.op as item,
        operations.time_ns::double as value,
        'ns' as unit,
        quantity(share_of(operations.time_ns, rank_sum.time_ns), 'share') || ' of all ranks'' time' as note
    from operations
    cross join rank_sum

    union all
    select
        2 as place,
        'operations' as section,
        0 as line,
        'hops of ' || operations.op as item,
        coalesce(hop_counts.hops, 0)::double as value,
        null as unit,
        quantity(coalesce(hop_counts.bytes, 0), 'bytes') as note
    from operations
    left join hop_counts on operations.op = hop_counts.op

    union all
    select
        3 as place,
        'operations' as section,
        0 as line,
        'time in collectives' as item,
        sum(operations.time_ns)::double as value,
        'ns' as unit,
        'of all ranks: ' || quantity(share_of(sum(operations.time_ns), any_value(rank_sum.time_ns)), 'share') as note
    from operations
    cross join rank_sum

    union all
    select
        3 as place,
        'operations' as section,
        0 as line,
        'user regions' as item,
        count(distinct region)::double as value,
        null as unit,
        'entered ' || quantity(count(*), 'times') || '; `analyze regions` lists their times' as note
    from intervals
    where kind = 'region'
    having count(*) > 0

    union all
    select
        3 as place,
        'operations' as section,
        0 as line,
        'application messages' as item,
        if(run.record = 'collectives', null, message_totals.messages)::double as value,
        null as unit,
        if(
            run.record = 'collectives',
            'not recorded (HOPSCOPE_RECORD=collectives), so a late neighbour looks like a slow MPI call',
            quantity(message_totals.bytes, 'bytes')
        ) as note
    from run
    cross join message_totals
)

select
    section,
    item,
    value,
    unit,
    note
from items
where value is not null or note is not null
order by place, section, line, item
