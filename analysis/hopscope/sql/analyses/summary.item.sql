-- Contents of the trace, one item per row.
--
-- The program and its ranks; calls, hops and time per operation; who executed collectives and why; clocks; missing
-- data; emulation; cost of tracing.
--
-- grain by = item default
-- whole run
-- key item
-- column section VARCHAR -- run, operations, engines, clocks, completeness, emulation, network or cost.
-- column item VARCHAR -- Item.
-- column value DOUBLE [of unit] -- Value; null if in words.
-- column unit VARCHAR -- Its unit: ns, bytes, share, ranks and the like; null for a plain number.
-- column note VARCHAR -- The value in words, or a remark.
-- uses rank_times, share_of, clock_error, emulated_links, network_links, quantity
-- only-data unit
-- example analyze summary trace --fail-if '"incomplete collectives".value > 0'
with emulations as (
    select string_agg(words, ', ' order by place, words) as words
    from emulated_links
),

rank_sum as (
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

engines as (
    select
        calls.engine,
        calls.tree,
        collectives.op,
        count(*) as calls,
        (select run.mode from run) = 'tree' as tree_asked
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    group by calls.engine, calls.tree, collectives.op
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

    union all
    select
        4 as place,
        'engines' as section,
        0 as line,
        case
            when engine = 'tree' then op || ' on tree ' || coalesce(tree, 'unnamed')
            when engine = 'native' then op || ' by the MPI library'
            else op || ' native: ' || substr(engine, 8)
        end as item,
        calls::double as value,
        'calls' as unit,
        case
            when engine = 'tree' then 'a rule of the tree file matches'
            when engine = 'native' then if(tree_asked, 'no rule of the tree file matches', 'no tree was requested')
            else if(tree_asked, 'a tree was requested but could not run', 'no tree was requested')
        end as note
    from engines

    union all
    select
        5 as place,
        'clocks' as section,
        unnest(range(3)) as line,
        unnest(['clock error', 'clock bound', 'clock measurements']) as item,
        unnest([clock_error_ns, clock_bound_ns, (select count(*) from clocks)])::double as value,
        unnest(['ns', 'ns', null]) as unit,
        unnest([
            if(
                clock_error_ns is null, 'unknown: the machines'' clocks were not measured',
                'between two machines, if routes are symmetric' || if(clock_used = 'error', '; used for verdicts', '')
            ),
            if(
                clock_bound_ns is null, 'unknown',
                'between two machines, for any routes' || if(clock_used = 'bound', '; used for verdicts', '')
            ),
            (select string_agg(distinct clocks.host, ', ' order by clocks.host) from clocks)
        ]) as note
    from run

    union all
    select
        6 as place,
        'completeness' as section,
        0 as line,
        'incomplete collectives' as item,
        count(*) filter (where not complete)::double as value,
        null as unit,
        'of ' || quantity(count(*), '') as note
    from collectives

    union all
    select
        6 as place,
        'completeness' as section,
        0 as line,
        'incomplete ranks' as item,
        count(*) filter (where not complete)::double as value,
        null as unit,
        coalesce(
            'without MPI_Finalize: ' || string_agg(rank::varchar, ', ' order by rank) filter (where not complete),
            'none'
        )
            as note
    from ranks

    union all
    select
        6 as place,
        'completeness' as section,
        0 as line,
        'recording off' as item,
        share_of(sum(coalesce(intervals.end_ns, ranks.last_event_ns) - intervals.begin_ns), any_value(rank_sum.time_ns))
        ::double as value,
        'share' as unit,
        'of all ranks'' time; nothing is known about it' as note
    from intervals
    inner join ranks on intervals.rank = ranks.rank
    cross join rank_sum
    where
        intervals.kind = 'off'
        -- of several threads the first
        and intervals.location = (
            select min(rank_intervals.location) from intervals as rank_intervals
            where rank_intervals.rank = intervals.rank and rank_intervals.kind = 'off'
        )
    having count(*) > 0

    union all
    select
        6 as place,
        'completeness' as section,
        0 as line,
        unnest(['missing', 'damaged files', 'events set back', 'collector']) as item,
        unnest([null, damaged_files, set_back_events, null])::double as value,
        null as unit,
        unnest([
            coalesce(missing, 'nothing'),
            'damaged trace files; events after the damage were dropped',
            'events whose timestamps ran backwards; each was moved to its predecessor''s time',
            coalesce(presence, 'unknown which ranks had it')
        ]) as note
    from run

    union all
    select
        7 as place,
        'emulation' as section,
        0 as line,
        'emulated' as item,
        null as value,
        null as unit,
        case
            when run.emulated is null then 'nothing'
            else
                coalesce(emulations.words, 'no link')
                || '; only on hops of the tree engine: application messages and native collectives are not delayed'
        end as note
    from run
    cross join emulations

    union all
    select
        7 as place,
        'network' as section,
        row_number() over (order by from_cluster, to_cluster) as line,
        from_cluster || ' to ' || to_cluster as item,
        late_p99_ns as value,
        'ns' as unit,
        format(
            'late at most, of 99 % of {} packets with {} (median {}); {} dropped; asked for {}',
            quantity(packets, ''), quantity(bytes, 'bytes'), quantity(late_p50_ns, 'ns'), quantity(dropped, ''),
            concat_ws(' and ', quantity(latency_ns, 'ns'), quantity(bytes_per_second, 'bytes/s'))
        ) as note
    from network_links

    union all
    select
        8 as place,
        'cost' as section,
        unnest(range(5)) as line,
        unnest(['events', 'cost of an event', 'cost of recording', 'own time', 'tracing as part of the run'])
            as item,
        unnest([
            run.events,
            run.event_cost_ns,
            run.events * run.event_cost_ns,
            run.overhead_ns,
            share_of(run.events * run.event_cost_ns + coalesce(run.overhead_ns, 0), rank_sum.time_ns)
        ])::double as value,
        unnest([null, 'ns', 'ns', 'ns', 'share']) as unit,
        unnest([
            'in the archive',
            if(run.event_cost_ns is null, 'unknown', 'as measured in the run'),
            'events times their cost, over all ranks',
            if(run.overhead_ns is null, 'unknown', 'over all ranks'),
            'of all ranks'' time, without what the tree engine costs compared with the MPI library'
        ]) as note
    from run
    cross join rank_sum
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
