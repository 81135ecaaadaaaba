-- What limits every answer from this trace, in sentences.
--
-- What is missing, what was emulated, what the clocks can carry, and what could not be traced as asked. An answer is as good as this list is short.
--
-- key kind
-- column kind VARCHAR -- What it is about: missing, refused, unrecorded, no MPI, no path, no hops, no messages, polled, emulated, clocks, undecided, engine or presence.
-- column sentence VARCHAR -- What is to be known, and what to do about it.
-- uses rank_times, share_of, calls_gone_native, bindings, polled_calls
-- empty note nothing limits the answers from this trace
-- example analyze caveats trace
with off_threads as (
    select
        intervals.rank,
        sum(coalesce(intervals.end_ns, ranks.last_event_ns) - intervals.begin_ns) as time_ns
    from intervals
    inner join ranks on intervals.rank = ranks.rank
    where intervals.kind = 'off'
    group by intervals.rank, intervals.location
),

-- Of a rank's threads the one that it was off longest for stands for the rank.
off_ranks as (
    select
        rank,
        max(time_ns) as time_ns
    from off_threads
    group by rank
),

off_times as (
    select
        count(*) as ranks,
        coalesce(sum(time_ns), 0) as time_ns
    from off_ranks
),

clock_counts as (
    select count(distinct clock_host) as machines from ranks
),

rank_counts as (
    select
        count(*) as ranks,
        sum(time_ns) as time_ns
    from rank_times
),

found as (
    select
        1 as place,
        'missing' as kind,
        'Missing from the trace: ' || missing || '.' as sentence
    from run
    where missing is not null

    union all
    select
        1 as place,
        'missing' as kind,
        format(
            '{} of {} collectives are incomplete: a member''s enter or leave is not in the trace.',
            count(*) filter (where not complete), count(*)
        ) as sentence
    from collectives
    having count(*) filter (where not complete) > 0

    union all
    select
        1 as place,
        'refused' as kind,
        format(
            'The MPI library refused {} of the program''s collective calls (for their communicator, count, root, ...)'
            || ' and returned an error: they moved nothing and are no collectives. `intervals` has them, by region'
            || ' `{} (refused)`{}.',
            count(*), min(region_name), case when count(distinct region_name) > 1 then ' and others' else '' end
        ) as sentence
    from (
        select trim(replace(region, '(refused)', '')) as region_name
        from intervals
        where region like 'MPI\_% (refused)' escape '\'
    ) as refused_calls
    having count(*) > 0

    union all
    select
        1 as place,
        'unrecorded' as kind,
        format(
            'Recording was off (MPI_Pcontrol, HOPSCOPE_PAUSED) on {} of {} ranks, for {:.1f} % of all ranks'' time:'
            || ' of that time nothing is known, not even what was computing.'
            || ' Messages and collectives of which one part falls into it are left out or incomplete,'
            || ' and a remapped tree was judged as if that time were computing.',
            off_times.ranks, rank_counts.ranks, 100 * share_of(off_times.time_ns, rank_counts.time_ns)
        ) as sentence
    from off_times
    cross join rank_counts
    where off_times.ranks > 0

    union all
    select
        2 as place,
        'no MPI' as kind,
        'The trace has no MPI collective that could be placed, so there are no arrivals, no noise and no WAN share to'
        || ' tell.' as sentence
    from (select count(*) as seen from calls) as call_counts
    where call_counts.seen = 0

    union all
    select
        2 as place,
        'no path' as kind,
        'The dataset has no critical paths; delete its directory and analyze the trace again,'
        || ' which converts it anew.' as sentence
    from (select count(*) as stretches from path_stretches) as paths
    where paths.stretches = 0 and (select count(*) from calls) > 0

    union all
    select
        3 as place,
        'no hops' as kind,
        'The trace has no hops, so collectives are seen from outside only (native): '
        || case (select run.mode from run)
            when 'tree'
                then 'a tree was asked for, but none of its rules fits, or `analyze summary` says why they went native.'
            when 'foreign'
                then 'only Hopscope''s own collector records hops, where it runs collectives over a tree.'
            else 'to see inside, let the collector run them over a tree (`hopscope run --tree binomial -- mpirun ...`).'
        end as sentence
    from (select count(*) as seen from hops) as hop_counts
    where hop_counts.seen = 0 and (select count(*) from calls) > 0

    union all
    select
        3 as place,
        'no messages' as kind,
        'The application''s messages were not recorded (HOPSCOPE_RECORD=collectives): a rank that waited for a'
        || ' neighbour''s message cannot be told from one that was slow in MPI, the critical path stays on it, and who'
        || ' comes last to a collective may only be whom somebody else made late.' as sentence
    from run
    where record = 'collectives'

    union all
    select
        3 as place,
        'polled' as kind,
        format(
            'An MPI_Test found {} calls of {} nonblocking collectives complete: how long the program waited for these'
            || ' by asking again and again is not known and counts nowhere as waiting.',
            count(*), count(distinct collective_id)
        ) as sentence
    from polled_calls
    having count(*) > 0

    union all
    select
        4 as place,
        'emulated' as kind,
        'Links were emulated for the hops of the tree engine; application messages and native collectives'
        || ' were not delayed.' as sentence
    from run
    where emulated is not null

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'Clocks of different machines agree within {} us ({}); the bound whatever the routes is {} us.',
            round(clock_error_ns / 1000.0, 1), 'if routes are symmetric', round(clock_bound_ns / 1000.0, 1)
        ) as sentence
    from run
    where clock_bound_ns > 0

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The trace does not say how the clocks of its {} machines compare: who came last is undecided where more'
            || ' than one machine could have, and what is said of messages, waiting and the critical path between'
            || ' machines takes their clocks for one.',
            clock_counts.machines
        ) as sentence
    from run
    cross join clock_counts
    where run.clock_error_ns is null and clock_counts.machines > 1

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The clocks of the {} machines were measured, but the trace does not say how exactly:'
            || ' verdicts take them for exact.',
            clock_counts.machines
        ) as sentence
    from run
    cross join clock_counts
    where run.mode = 'foreign' and run.clock_error_ns = 0 and clock_counts.machines > 1

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The clock turned back under {} of {} events: each has the time of the one before on its thread, so what'
            || ' happened meanwhile takes no time, and who came last then is not to be trusted.',
            set_back_events, events
        ) as sentence
    from run
    where set_back_events > 0

    union all
    select
        5 as place,
        'undecided' as kind,
        format(
            '{} of {} {} cannot be told to have been waited for; paths stay on their receivers.',
            count(*) filter (where binding = 'undecided'), count(*), what
        ) as sentence
    from bindings
    group by what
    having count(*) filter (where binding = 'undecided') > 0

    union all
    select
        6 as place,
        'engine' as kind,
        format('{} calls of {} went native: {}.', calls, op, reason) as sentence
    from calls_gone_native

    union all
    select
        7 as place,
        'presence' as kind,
        'Not every rank had the collector: ' || presence || '.' as sentence
    from run
    where presence is not null and presence <> 'complete'
)

select
    kind,
    sentence
from found
order by place, sentence
