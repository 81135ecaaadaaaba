-- What to know of a trace before staking anything on it: what tracing cost, what is missing, what is covered, what ran otherwise.
--
-- It stands in every report. Cost: the job's time with recording off and on, where both were run (`hopscope run
-- --also-untraced` runs it once more with recording off, or time it yourself with HOPSCOPE_RECORD=0 and give --untraced-ns and
-- --traced-ns), and what recording cost by its own measure: events times the cost of one. Dropped: what is not in the trace.
-- Coverage: how much of it can be looked into. Otherwise: calls for which a tree was asked and that ran natively, and why.
--
-- param untraced_ns BIGINT = null -- Time of the job with recording off; taken from the trace directory where it was run.
-- param traced_ns BIGINT = null -- Time of the job with recording on, likewise.
-- key item
-- column kind VARCHAR -- cost, dropped, coverage or otherwise.
-- column item VARCHAR -- What the row is about.
-- column value DOUBLE [of unit] -- Its value; null where nobody knows, or where it is words.
-- column unit VARCHAR -- Unit of the value.
-- column sentence VARCHAR -- What is to be known about it, and how to know it where it is not.
-- only-data unit
-- uses rank_times, share_of, emulated_links, calls_gone_native, bindings
-- example analyze honesty trace --fail-if '"incomplete collectives".value > 0'
with times as (
    select
        $untraced_ns::bigint as untraced_ns,
        $traced_ns::bigint as traced_ns
),

all_ranks as (
    select sum(time_ns) as time_ns from rank_times
),

counted as (
    select
        count(*) as collectives,
        count(*) filter (where not complete) as incomplete
    from collectives
),

inside as (
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

found as (
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
                'not run; `hopscope run --also-untraced` runs the job once more with recording off',
                'the whole job with recording off'
            ),
            if(
                traced_ns is null,
                'not measured',
                'the whole job with recording on, the making of the archive included'
            ),
            if(
                untraced_ns is null or traced_ns is null,
                'unknown without both times',
                'what the job took longer; one run of each, so what runs differ by is in it'
            )
        ]) as sentence
    from times

    union all
    select
        2 as place,
        'cost' as kind,
        unnest(['recording', 'chunk changes']) as item,
        unnest([
            share_of(run.events * run.event_cost_ns, all_ranks.time_ns), share_of(run.overhead_ns, all_ranks.time_ns)
        ])::double as value,
        'share' as unit,
        unnest([
            if(
                run.event_cost_ns is null,
                'unknown: the trace does not say what an event costs',
                format(
                    'of all ranks'' time: {} events at {:.1f} ns, as measured in the run',
                    run.events, run.event_cost_ns
                )
            ),
            if(run.overhead_ns is null, 'unknown', 'of all ranks'' time, for room to write in')
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
            'of threads; what they hold beyond the damage is left out',
            format('of {} have the time of the one before on their thread, for their own is earlier', events)
        ]) as sentence
    from run

    union all
    select
        4 as place,
        'dropped' as kind,
        'ranks without an end' as item,
        unfinished::double as value,
        'ranks' as unit,
        format('of {} did not come to MPI_Finalize in the trace', ranks) as sentence
    from rank_ends

    union all
    select
        5 as place,
        'dropped' as kind,
        'incomplete collectives' as item,
        incomplete::double as value,
        'collectives' as unit,
        format('of {} lack a member''s enter or leave; no answer counts them', collectives) as sentence
    from counted

    union all
    select
        6 as place,
        'dropped' as kind,
        'undecided messages' as item,
        share_of(undecided, messages)::double as value,
        'share' as unit,
        format('{} of {} hops and messages cannot be told to have been waited for', undecided, messages) as sentence
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
        share_of(inside.with_hops, counted.collectives)::double as value,
        'share' as unit,
        format(
            '{} of {} can be looked into; the others are one stretch, native', inside.with_hops, counted.collectives
        ) as sentence
    from inside
    cross join counted

    union all
    select
        9 as place,
        'coverage' as kind,
        'application messages' as item,
        null as value,
        null as unit,
        case record
            when 'all' then 'recorded'
            when 'collectives' then 'left out as asked (HOPSCOPE_RECORD=collectives)'
            else 'unknown whether they were recorded'
        end as sentence
    from run

    union all
    select
        10 as place,
        'otherwise' as kind,
        op || ' native: ' || reason as item,
        calls::double as value,
        'calls' as unit,
        'a tree was asked for and could not serve' as sentence
    from calls_gone_native

    union all
    select
        11 as place,
        'otherwise' as kind,
        'emulated links' as item,
        null as value,
        null as unit,
        coalesce(emulations.words, 'no link')
        || '; only hops of the tree engine were delayed, no message and no native collective' as sentence
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
from found
order by place, kind, item
