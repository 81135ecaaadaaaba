-- Trust in this trace: limits of its answers, missing data, clocks, engines and the cost of tracing.
--
-- limits       what limits every answer, and what to do about it
-- data         whether the dataset keeps its own rules, as `analyze check-data` lists them
-- coverage     how much of the run the trace shows, and what it lacks
-- engines      who executed collectives: a tree of Hopscope's engine or the MPI library, and why
-- clocks       how well the machines' clocks agree
-- network      how late packets of `hopscope run --net` were
-- cost         what tracing cost; the job's times with recording off and on come from `hopscope run --also-untraced`
--
-- param untraced_ns BIGINT = null -- Time of the job with HOPSCOPE_RECORD=0; by default as measured by the run.
-- param traced_ns BIGINT = null -- Time of the job with recording on; by default as measured by the run.
-- whole run
-- key item
-- column section VARCHAR -- limits, data, coverage, engines, clocks, network or cost.
-- column item VARCHAR -- Name of the item; for a limit, its kind.
-- column value DOUBLE [of unit] -- Value; null if it is unknown, or if the item has only words.
-- column unit VARCHAR -- Unit of the value; null for a plain number.
-- column sentence VARCHAR -- Meaning of the item, or what to do about it.
-- only-data unit
-- uses limits, rank_times, share_of, emulated_links, network_links, bindings, off_times, clock_error, quantity
-- then explain.trust -- The section `data`.
-- asks check-data
-- example analyze trust trace --fail-if '"incomplete collectives".value > 0'
with all_ranks as (
    select sum(time_ns) as time_ns from rank_times
),

hop_coverage as (
    select
        count(distinct collective_id) as with_hops,
        (
            select count(*)
            from collectives
            left join mpi_functions on collectives.op = mpi_functions.name
            where coalesce(mpi_functions.kind in ('collective', 'nonblocking', 'persistent'), true)
        ) as collectives
    from hops
),

emulations as (
    select string_agg(words, ', ' order by place, words) as words
    from emulated_links
),

engines as (
    select
        calls.engine,
        calls.tree,
        collectives.op,
        count(*) as calls,
        count(distinct calls.collective_id) as collectives,
        (select run.mode from run) = 'tree' as tree_asked
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    group by calls.engine, calls.tree, collectives.op
),

items as (
    select
        1 as place,
        'limits' as section,
        place as line,
        kind as item,
        null::double as value,
        null as unit,
        sentence
    from limits

    union all
    select
        2 as place,
        'coverage' as section,
        unnest(range(5)) as line,
        unnest(['missing', 'damaged files', 'events set back', 'collector', 'application messages']) as item,
        unnest([null, damaged_files, set_back_events, null, null])::double as value,
        unnest([null, 'files', 'events', null, null]) as unit,
        unnest([
            coalesce(missing, 'nothing is known to be missing'),
            'damaged trace files; events after the damage were dropped',
            format(
                'of {}, whose timestamps ran backwards; each was moved to its predecessor''s time', quantity(events, '')
            ),
            coalesce(
                case when presence = 'complete' then 'every rank had it' else presence end,
                'unknown which ranks had it'
            ),
            case record
                when 'all' then 'recorded'
                when 'collectives' then 'not recorded, as requested (HOPSCOPE_RECORD=collectives)'
                else 'unknown whether they were recorded'
            end
        ]) as sentence
    from run

    union all
    select
        2 as place,
        'coverage' as section,
        5 as line,
        'incomplete ranks' as item,
        count(*) filter (where not complete)::double as value,
        'ranks' as unit,
        coalesce(
            'without MPI_Finalize: ' || string_agg(rank::varchar, ', ' order by rank) filter (where not complete),
            format('all {} reached MPI_Finalize in the trace', quantity(count(*), ''))
        ) as sentence
    from ranks

    union all
    select
        2 as place,
        'coverage' as section,
        6 as line,
        'incomplete collectives' as item,
        count(*) filter (where not complete)::double as value,
        'collectives' as unit,
        format('of {} lack a member''s enter or leave; no analysis counts them', quantity(count(*), '')) as sentence
    from collectives

    union all
    select
        2 as place,
        'coverage' as section,
        7 as line,
        'recording off' as item,
        share_of(off_times.time_ns, all_ranks.time_ns)::double as value,
        'share' as unit,
        'of all ranks'' time; nothing is known about it' as sentence
    from off_times
    cross join all_ranks
    where off_times.ranks > 0

    union all
    select
        2 as place,
        'coverage' as section,
        8 as line,
        'collectives with hops' as item,
        share_of(hop_coverage.with_hops, hop_coverage.collectives)::double as value,
        'share' as unit,
        format(
            '{} of {} show their hops; each of the others is one stretch, native',
            quantity(hop_coverage.with_hops, ''), quantity(hop_coverage.collectives, '')
        ) as sentence
    from hop_coverage

    union all
    select
        2 as place,
        'coverage' as section,
        9 as line,
        'undecided messages' as item,
        share_of(count(*) filter (where binding = 'undecided'), count(*))::double as value,
        'share' as unit,
        format(
            'for {} of {} hops and messages the trace does not show whether the receiver waited',
            quantity(count(*) filter (where binding = 'undecided'), ''), quantity(count(*), '')
        ) as sentence
    from bindings

    union all
    select
        3 as place,
        'engines' as section,
        0 as line,
        case
            when engine = 'tree' then op || ' on tree ' || coalesce(tree, 'unnamed')
            when engine = 'native' then op || ' by the MPI library'
            else op || ' native: ' || substr(engine, 8)
        end as item,
        calls::double as value,
        'calls' as unit,
        format(
            'of {}; {}', quantity(collectives, 'collectives'),
            case
                when engine = 'tree' then 'a rule of the tree file matches'
                when engine = 'native' then if(tree_asked, 'no rule of the tree file matches', 'no tree was requested')
                else if(tree_asked, 'a tree was requested but could not run', 'no tree was requested')
            end
        ) as sentence
    from engines

    union all
    select
        3 as place,
        'engines' as section,
        1 as line,
        'emulated links' as item,
        null as value,
        null as unit,
        coalesce(emulations.words, 'no link')
        || '; only hops of the tree engine were delayed, not messages and native collectives' as sentence
    from run
    cross join emulations
    where run.emulated is not null

    union all
    select
        4 as place,
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
            coalesce((select string_agg(distinct clocks.host, ', ' order by clocks.host) from clocks), 'on no host')
        ]) as sentence
    from run

    union all
    select
        4 as place,
        'clocks' as section,
        3 as line,
        'beside' as item,
        max(residual_ns) as value,
        'ns' as unit,
        format(
            'median distance to the clock of {} on the worst of {}, after alignment on {} of {} of MPI that both'
            || ' recorded',
            any_value(creator), quantity(count(*), 'threads'), quantity(sum(matched_calls)::bigint, ''),
            quantity(sum(calls)::bigint, 'calls')
        ) as sentence
    from beside_threads
    having count(*) > 0

    union all
    select
        5 as place,
        'network' as section,
        row_number() over (order by from_cluster, to_cluster) as line,
        from_cluster || ' to ' || to_cluster as item,
        late_p99_ns as value,
        'ns' as unit,
        format(
            'late at most, of 99 % of {} packets with {} (median {}); {} dropped; asked for {}',
            quantity(packets, ''), quantity(bytes, 'bytes'), quantity(late_p50_ns, 'ns'), quantity(dropped, ''),
            concat_ws(' and ', quantity(latency_ns, 'ns'), quantity(bytes_per_second, 'bytes/s'))
        ) as sentence
    from network_links

    union all
    select
        6 as place,
        'cost' as section,
        unnest(range(3)) as line,
        unnest(['recording', 'own time', 'tracing as part of the run']) as item,
        unnest([
            share_of(run.events * run.event_cost_ns, all_ranks.time_ns),
            share_of(run.overhead_ns, all_ranks.time_ns),
            share_of(run.events * run.event_cost_ns + coalesce(run.overhead_ns, 0), all_ranks.time_ns)
        ])::double as value,
        'share' as unit,
        unnest([
            if(
                run.event_cost_ns is null,
                'unknown: the trace does not say what an event costs',
                format(
                    'of all ranks'' time: {} events at {}, as measured in the run',
                    quantity(run.events, ''), quantity(run.event_cost_ns, 'ns')
                )
            ),
            if(
                run.overhead_ns is null,
                'unknown',
                'of all ranks'' time, spent on the collector''s start, new threads, room for records and clocks'
            ),
            'both together, without what the tree engine costs compared with the MPI library'
        ]) as sentence
    from run
    cross join all_ranks

    union all
    select
        6 as place,
        'cost' as section,
        unnest(range(3, 6)) as line,
        unnest(['job untraced', 'job traced', 'traced against untraced']) as item,
        unnest([
            $untraced_ns::bigint, $traced_ns::bigint,
            share_of($traced_ns::bigint - $untraced_ns::bigint, $untraced_ns::bigint)
        ])::double as value,
        unnest(['ns', 'ns', 'share']) as unit,
        unnest([
            if(
                $untraced_ns::bigint is null,
                'not measured; `hopscope run --also-untraced` also runs the job with recording off',
                'the whole job with recording off'
            ),
            if(
                $traced_ns::bigint is null,
                'not measured',
                'the whole job with recording on, including the assembly of the archive'
            ),
            if(
                $untraced_ns::bigint is null or $traced_ns::bigint is null,
                'unknown without both times',
                'how much longer the job took; with one run of each, this includes how much runs differ anyway'
            )
        ]) as sentence
)

select
    section,
    item,
    value,
    unit,
    sentence
from items
order by place, line, item, sentence
