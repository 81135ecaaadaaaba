-- Limits of every answer from this trace, in sentences.
--
-- The kinds are unseen, unfinished, cores, load, missing, refused, unrecorded, no MPI, no path, no hops, native, no
-- messages, polled, unproven, threads, overhead, emulated, network, memory, counts, clocks, undecided, engine, presence
-- and places. The column `place` gives the order in which they are shown.
--
-- uses crowded_cores, external_load, rank_times, share_of, network_links, calls_gone_native, bindings, polled_calls, quantity, place_remedy, off_times, collector_overhead, unseen_threads, unseen_messages
create or replace view limits as
with shown_places as (
    select
        how,
        parse_filename(module) as module,
        place_remedy(how, module) as remedy,
        count(*) over () as places
    from places
),

collective_counts as (
    select count(*) as collectives from collectives
),

clock_counts as (
    select count(distinct clock_host) as machines from ranks
),

-- Hops between hosts. stayed is true if a hop went through the memory of one machine, and its time was not emulated.
hop_memories as (
    select sources.memory = destinations.memory and (hops.source = 'native' or run.emulated is null) as stayed
    from hops
    inner join ranks as sources on hops.src = sources.rank
    inner join ranks as destinations on hops.dst = destinations.rank
    cross join run
    where hops.link in ('lan', 'wan')
),

rank_counts as (
    select
        count(*) as ranks,
        sum(time_ns) as time_ns
    from rank_times
),

crowds as (
    select
        *,
        count(*) over () as machines
    from crowded_cores
    qualify row_number() over (order by busy_threads / cores desc, machine) = 1
),

loads as (
    select
        *,
        count(*) over () as machines
    from external_load
    qualify row_number() over (order by queued_share desc, machine asc) = 1
),

findings as (
    select
        place,
        kind,
        sentence
    from unseen_messages

    union all
    select
        -1 as place,
        'unfinished' as kind,
        unfinished as sentence
    from run
    where unfinished is not null

    union all
    select
        0 as place,
        'cores' as kind,
        format(
            '{}{} shared {}{}. Times of waiting and of messages are then those of the scheduler, too: use at most one'
            || ' rank or thread a core, and bind them to different ones.',
            if(machines = 1, '', format('On {} of the machines, {} among them, ', machines, machine)),
            if(
                busy_threads > ranks,
                format('{} with {} busy threads', quantity(ranks, 'ranks'), quantity(busy_threads, '')),
                quantity(ranks, 'ranks')
            ),
            quantity(cores, 'cores'),
            coalesce(
                format(', and had none for {} of the time in which they needed one', quantity(queued_share, 'share')),
                ''
            )
        ) as sentence
    from crowds

    union all
    select
        0 as place,
        'load' as kind,
        format(
            '{}{} had cores enough, and {} ready without one for {} of their time: other programs ran there. Times of'
            || ' waiting and of messages are then those of the scheduler, too: measure on a machine without them.',
            if(machines = 1, '', format('On {} of the machines, {} among them, ', machines, machine)),
            quantity(ranks, 'ranks'),
            if(ranks = 1, 'was', 'were'),
            quantity(queued_share, 'share')
        ) as sentence
    from loads

    union all
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
            '{} of {} collectives are incomplete: the trace lacks a member''s enter or leave.',
            quantity(count(*) filter (where not complete), ''), quantity(count(*), '')
        ) as sentence
    from collectives
    having count(*) filter (where not complete) > 0

    union all
    select
        1 as place,
        'refused' as kind,
        format(
            'The MPI library refused {} of the program''s collective calls (because of their communicator, count, root,'
            || ' ...) and returned an error. They moved no data and do not count as collectives; the table `intervals`'
            || ' has them as region `{} (refused)`{}.',
            quantity(count(*), ''), min(region_name),
            case when count(distinct region_name) > 1 then ' and others' else '' end
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
            'Recording was off (MPI_Pcontrol, HOPSCOPE_PAUSED) on {} of {} ranks, for {} of all ranks'' time.'
            || ' Nothing is known about that time, not even how much of it was computing.'
            || ' Messages and collectives that lie partly in it are dropped or incomplete,'
            || ' and the remapper treats it as computing.',
            quantity(off_times.ranks, ''), quantity(rank_counts.ranks, ''),
            quantity(share_of(off_times.time_ns, rank_counts.time_ns), 'share')
        ) as sentence
    from off_times
    cross join rank_counts
    where off_times.ranks > 0

    union all
    select
        2 as place,
        'no MPI' as kind,
        'The trace has no MPI collective on a known communicator, so there are no last arrivals, no noise and no WAN'
        || ' share.' as sentence
    from (select count(*) as total from calls) as call_counts
    where call_counts.total = 0

    union all
    select
        2 as place,
        'no path' as kind,
        'The dataset has no critical paths; delete its directory and analyze the trace again'
        || ' to convert it anew.' as sentence
    from (select count(*) as stretches from path_stretches) as paths
    where paths.stretches = 0 and (select count(*) from calls) > 0

    union all
    select
        3 as place,
        'no hops' as kind,
        'The trace has no hops, so collectives are seen only from outside (native): '
        || case (select run.mode from run)
            when 'tree'
                then 'a tree was requested, but no rule matched, or `analyze trust` says why the calls went native.'
            when 'foreign'
                then 'another tool recorded it, and only Hopscope''s collector records hops.'
            else
                'the collector records messages of Open MPI unless HOPSCOPE_NATIVE=0 says otherwise, and of MPICH with '
                || 'HOPSCOPE_NATIVE=mpich; or run them over a tree (`hopscope run --tree binomial -- mpirun ...`).'
        end as sentence
    from (select count(*) as total from hops) as hop_counts
    where hop_counts.total = 0 and (select count(*) from calls) > 0

    union all
    select
        3 as place,
        'native' as kind,
        format(
            'For {} of {} collectives, messages of the MPI library were seen, but the critical path stays native: {}.',
            quantity(count(*), ''), quantity(any_value(collective_counts.collectives), ''),
            case collectives.native_reason
                when 'incomplete' then 'the trace lacks a member''s enter or leave'
                when 'unmatched' then 'the trace lacks one end of a message'
                when 'silent' then 'a member that took part shows no message'
                else 'the trace does not show whether a rank on the path waited for a message'
            end
        ) as sentence
    from collectives
    cross join collective_counts
    where collectives.native_reason <> 'shared'
    group by collectives.native_reason

    union all
    select
        3 as place,
        'native' as kind,
        format(
            'No message of {} of {} collectives was seen, so they have no hops: the MPI library moved their data in'
            || ' another way, such as through shared memory{}',
            quantity(count(*), ''), quantity(any_value(collective_counts.collectives), ''),
            case
                when any_value(run.mpi_library) like '%MPICH%'
                    then
                        '. MPICH 5 does so on one host after a few calls, but not with'
                        || ' MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD=1000000000.'
                when any_value(run.mpi_library) like 'Intel(R) MPI%'
                    then '. Intel MPI does so on one host, but not with I_MPI_COLL_INTRANODE=pt2pt.'
                else ', or sent messages that Hopscope does not see, as Open MPI''s coll/adapt does.'
            end
        ) as sentence
    from collectives
    cross join collective_counts
    cross join run
    where collectives.native_reason = 'shared'
    having count(*) > 0

    union all
    select
        3 as place,
        'no messages' as kind,
        'The application''s messages were not recorded (HOPSCOPE_RECORD=collectives). A rank that waited for a'
        || ' neighbour''s message looks like one that was slow in MPI, the critical path stays on it, and a rank that'
        || ' comes last to a collective may only have been held up by another.' as sentence
    from run
    where record = 'collectives'

    union all
    select
        3 as place,
        'polled' as kind,
        format(
            'An MPI_Test found {} calls of {} nonblocking collectives complete. How long the program polled for'
            || ' them is unknown and does not count as waiting.',
            quantity(count(*), ''), quantity(count(distinct collective_id), '')
        ) as sentence
    from polled_calls
    having count(*) > 0

    union all
    select
        3 as place,
        'threads' as kind,
        sentence
    from unseen_threads

    union all
    select
        3 as place,
        'overhead' as kind,
        format(
            'The collector took {} of all ranks'' time, to start recording new threads, to make room for records and to'
            || ' compare clocks. It counts as `overhead`, never as computing, but delays the program.',
            quantity(overhead_share, 'share')
        ) as sentence
    from collector_overhead
    where overhead_share > 0.01

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
        4 as place,
        'network' as kind,
        format(
            'The relay handed packets from {} to {} on up to {} late (99 %), against a latency of {}; leave cores free,'
            || ' or ask for a longer latency.',
            from_cluster, to_cluster, quantity(late_p99_ns, 'ns'), quantity(latency_ns, 'ns')
        ) as sentence
    from network_links
    where late_p99_ns > latency_ns / 10 and packets > 0

    union all
    select
        4 as place,
        'network' as kind,
        format(
            'The relay dropped {} of {} packets from {} to {}, because more were under way than it holds.',
            quantity(dropped, ''), quantity(packets + dropped, ''), from_cluster, to_cluster
        ) as sentence
    from network_links
    where dropped > 0

    union all
    select
        4 as place,
        'memory' as kind,
        format(
            '{} of {} hops between hosts of the topology file went through the memory of one machine, so their times'
            || ' are not those of a network. Run on real hosts, on a network of namespaces (`hopscope run --net`), or,'
            || ' for trees, with `emulate`.',
            quantity(count(*) filter (where stayed), ''), quantity(count(*), '')
        ) as sentence
    from hop_memories
    having count(*) filter (where stayed) > 0

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'Clocks of different machines agree within {} if routes are symmetric,'
            || ' and within {} for any routes.',
            quantity(clock_error_ns, 'ns'), quantity(clock_bound_ns, 'ns')
        ) as sentence
    from run
    where clock_bound_ns > 0

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The trace does not say how the clocks of its {} machines compare. Who came last is undecided where ranks'
            || ' on several machines may have; messages, waiting and the critical path between machines are computed'
            || ' as if the clocks agreed.',
            quantity(clock_counts.machines, '')
        ) as sentence
    from run
    cross join clock_counts
    where run.clock_error_ns is null and clock_counts.machines > 1

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The clocks of the {} machines were measured, but the trace does not say how precisely,'
            || ' so verdicts treat them as exact.',
            quantity(clock_counts.machines, '')
        ) as sentence
    from run
    cross join clock_counts
    where run.mode = 'foreign' and run.clock_error_ns = 0 and clock_counts.machines > 1

    union all
    select
        5 as place,
        'counts' as kind,
        format(
            'The archive declares wrong numbers of events: {}. What its files hold was read.', miscounted
        ) as sentence
    from run
    where miscounted is not null

    union all
    select
        5 as place,
        'clocks' as kind,
        format(
            'The timestamps of {} of {} events ran backwards. Each was moved to its predecessor''s time, so what'
            || ' happened meanwhile takes no time; do not trust last arrivals there.',
            quantity(set_back_events, ''), quantity(events, '')
        ) as sentence
    from run
    where set_back_events > 0

    union all
    select
        5 as place,
        'undecided' as kind,
        format(
            'For {} of {} {} the trace does not show whether the receiver waited;'
            || ' critical paths stay on the receiver there.',
            quantity(count(*) filter (where binding = 'undecided'), ''), quantity(count(*), ''), table_name
        ) as sentence
    from bindings
    group by table_name
    having count(*) filter (where binding = 'undecided') > 0

    union all
    select
        6 as place,
        'engine' as kind,
        format(
            '{} of {} {}: {}.',
            quantity(sum(calls_gone_native.calls)::bigint, 'calls'),
            if(
                count(*) > 3,
                quantity(count(*), 'operations'),
                string_agg(calls_gone_native.op, ', ' order by calls_gone_native.op)
            ),
            if(run.mode = 'tree', 'went native', 'stay native'),
            calls_gone_native.reason
        ) as sentence
    from calls_gone_native
    cross join run
    group by calls_gone_native.reason, run.mode

    union all
    select
        7 as place,
        'presence' as kind,
        'Not every rank had the collector: ' || presence || '.' as sentence
    from run
    where presence is not null and presence <> 'complete'

    union all
    select
        8 as place,
        'places' as kind,
        format(
            '{} of {} call sites are shown by the nearest symbol or by module and offset, because {} was built without'
            || ' debug information; {}.',
            quantity(count(*), ''), quantity(any_value(places), ''),
            string_agg(distinct module, ', ' order by module), remedy
        ) as sentence
    from shown_places
    where how in ('symbol', 'stripped') and remedy is not null
    group by remedy

    union all
    select
        8 as place,
        'places' as kind,
        format(
            '{} call sites are shown by their place inside mpi4py, because the collector read no lines of Python:'
            || ' HOPSCOPE_PYTHON=0, or for the reason that run.json names (python.off).',
            quantity(count(*) filter (where regexp_matches(module, '/mpi4py/MPI[.][^/]*$')), '')
        ) as sentence
    from places
    having
        count(*) filter (where regexp_matches(module, '/mpi4py/MPI[.][^/]*$')) > 0
        and count(*) filter (where module is null) = 0

    union all
    select
        8 as place,
        'places' as kind,
        format(
            '{} of {} call sites are shown by module and offset, because the build of {} that ran was not at hand when'
            || ' the trace was converted; {}.',
            quantity(count(*), ''), quantity(any_value(places), ''),
            string_agg(distinct module, ', ' order by module), remedy
        ) as sentence
    from shown_places
    where how in ('no file', 'another build', 'several builds') and remedy is not null
    group by remedy
)

select
    place,
    kind,
    sentence
from findings;
