-- Trust in this trace: cost of tracing, missing data, coverage.
--
-- cost: the job's time with recording off and on, if measured (`hopscope run --also-untraced`). dropped: missing
-- data. coverage: how much of the run shows its inside. otherwise: calls that went native although a tree was
-- requested, or whose messages are not all known.
--
-- param untraced_ns BIGINT = null -- Time of the job with HOPSCOPE_RECORD=0; by default as measured by the run.
-- param traced_ns BIGINT = null -- Time with recording on.
-- whole run
-- key item
-- column kind VARCHAR -- cost, dropped, coverage or otherwise.
-- column item VARCHAR -- Item.
-- column value DOUBLE [of unit] -- Value; null if unknown or in words.
-- column unit VARCHAR -- Its unit.
-- column sentence VARCHAR -- Its meaning, or how to measure it.
-- only-data unit
-- uses rank_times, share_of, emulated_links, calls_gone_native, bindings, quantity
-- example analyze honesty trace --fail-if '"incomplete collectives".value > 0'
with times as (
    select
        $untraced_ns::bigint as untraced_ns,
        $traced_ns::bigint as traced_ns
),

all_ranks as (
    select sum(time_ns) as time_ns from rank_times
),

collective_counts as (
    select
        count(*) as collectives,
        count(*) filter (where not complete) as incomplete
    from collectives
),

hop_coverage as (
    select count(distinct collective_id) as with_hops from hops
),

bound as (
    select
        count(*) as messages,
        count(*) filter (where binding = 'undecided') as undecided
    from bindings
),

rank_ends as (
    select
        count(*) as ranks,
        count(*) filter (where not complete) as unfinished
    from ranks
),

emulations as (
    select string_agg(words, ', ' order by place, words) as words
    from emulated_links
),

findings as (
    select
        1 as place,
        'cost' as kind,
        unnest(['job untraced', 'job traced', 'traced against untraced']) as item,
        unnest([
            untraced_ns, traced_ns, share_of(traced_ns - untraced_ns, untraced_ns)
        ])::double as value,
        unnest(['ns', 'ns', 'share']) as unit,
        unnest([
            if(
                untraced_ns is null,
                'not measured; `hopscope run --also-untraced` also runs the job with recording off',
                'the whole job with recording off'
            ),
            if(
                traced_ns is null,
                'not measured',
                'the whole job with recording on, including the assembly of the archive'
            ),
            if(
                untraced_ns is null or traced_ns is null,
                'unknown without both times',
                'how much longer the job took; with one run of each, this includes how much runs differ anyway'
            )
        ]) as sentence
    from times

    union all
    select
        2 as place,
        'cost' as kind,
        unnest(['recording', 'own time']) as item,
        unnest([
            share_of(run.events * run.event_cost_ns, all_ranks.time_ns), share_of(run.overhead_ns, all_ranks.time_ns)
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
            )
        ]) as sentence
    from run
    cross join all_ranks

    union all
    select
        3 as place,
        'dropped' as kind,
        'missing' as item,
        null as value,
        null as unit,
        coalesce(missing, 'nothing is known to be missing') as sentence
    from run

    union all
    select
        3 as place,
        'dropped' as kind,
        unnest(['damaged files', 'events set back']) as item,
        unnest([damaged_files, set_back_events])::double as value,
        unnest(['files', 'events']) as unit,
        unnest([
            'damaged trace files; events after the damage were dropped',
            format(
                'of {}, whose timestamps ran backwards; each was moved to its predecessor''s time', quantity(events, '')
            )
        ]) as sentence
    from run

    union all
    select
        4 as place,
        'dropped' as kind,
        'ranks without an end' as item,
        unfinished::double as value,
        'ranks' as unit,
        format('of {} did not reach MPI_Finalize in the trace', quantity(ranks, '')) as sentence
    from rank_ends

    union all
    select
        5 as place,
        'dropped' as kind,
        'incomplete collectives' as item,
        incomplete::double as value,
        'collectives' as unit,
        format('of {} lack a member''s enter or leave; no analysis counts them', quantity(collectives, '')) as sentence
    from collective_counts

    union all
    select
        6 as place,
        'dropped' as kind,
        'undecided messages' as item,
        share_of(undecided, messages)::double as value,
        'share' as unit,
        format(
            'for {} of {} hops and messages the trace does not show whether the receiver waited',
            quantity(undecided, ''), quantity(messages, '')
        ) as sentence
    from bound

    union all
    select
        7 as place,
        'coverage' as kind,
        'collector' as item,
        null as value,
        null as unit,
        coalesce(
            case when presence = 'complete' then 'every rank had it' else presence end, 'unknown which ranks had it'
        ) as sentence
    from run

    union all
    select
        8 as place,
        'coverage' as kind,
        'collectives with hops' as item,
        share_of(hop_coverage.with_hops, collective_counts.collectives)::double as value,
        'share' as unit,
        format(
            '{} of {} show their hops; each of the others is one stretch, native',
            quantity(hop_coverage.with_hops, ''), quantity(collective_counts.collectives, '')
        ) as sentence
    from hop_coverage
    cross join collective_counts

    union all
    select
        9 as place,
        'coverage' as kind,
        'application messages' as item,
        null as value,
        null as unit,
        case record
            when 'all' then 'recorded'
            when 'collectives' then 'not recorded, as requested (HOPSCOPE_RECORD=collectives)'
            else 'unknown whether they were recorded'
        end as sentence
    from run

    union all
    select
        10 as place,
        'otherwise' as kind,
        calls_gone_native.op || ' native: ' || calls_gone_native.reason as item,
        calls_gone_native.calls::double as value,
        'calls' as unit,
        if(run.mode = 'tree', 'a tree was requested but could not run', 'no tree was requested') as sentence
    from calls_gone_native
    cross join run

    union all
    select
        11 as place,
        'otherwise' as kind,
        'emulated links' as item,
        null as value,
        null as unit,
        coalesce(emulations.words, 'no link')
        || '; only hops of the tree engine were delayed, not messages and native collectives' as sentence
    from run
    cross join emulations
    where run.emulated is not null
)

select
    kind,
    item,
    value,
    unit,
    sentence
from findings
order by place, kind, item
