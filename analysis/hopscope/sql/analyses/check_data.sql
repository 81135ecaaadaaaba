-- Check that the dataset keeps its own rules.
--
-- Any violation that the clocks' uncertainty cannot explain (`beyond`) makes the command exit with 1. Incomplete
-- collectives, damaged files, corrected events, and all-to-all paths that do not lead to the last enter are counted,
-- but exempt.
--
-- whole run
-- key rule
-- column rule VARCHAR -- The rule.
-- column rows BIGINT -- Rows checked.
-- column inside BIGINT -- Violations that the clocks' uncertainty can explain.
-- column beyond BIGINT -- Violations that the clocks' uncertainty cannot explain.
-- column verdict VARCHAR -- holds, fails, nothing to check, or exempt.
-- column example VARCHAR -- The first violation.
-- fail-if *.beyond > 0
-- uses members, operation_kind
-- example analyze check-data trace
with path_ends as materialized (
    select
        path,
        path_collective_id,
        min(begin_ns) as begin_ns,
        max(end_ns) as end_ns,
        sum(end_ns - begin_ns) as time_ns,
        min(end_ns - begin_ns) as shortest_ns
    from path_stretches
    group by path, path_collective_id
),

native_hops as (
    select distinct collective_id
    from hops
    where source = 'native'
),

returns_early_operations as (
    select name
    from mpi_functions
    where kind <> 'collective'
),

-- Collectives whose critical path misses the last enter, although no rank can leave their operation before all have
-- entered. Only paths through messages of the MPI library are checked. Intercommunicators are left out, because there a
-- rank waits for the other group only.
missed as materialized (
    select
        collectives.collective_id,
        path_ends.begin_ns,
        collectives.last_enter_ns,
        collectives.last_rank
    from collectives
    inner join path_ends
        on path_ends.path = 'collective' and collectives.collective_id = path_ends.path_collective_id
    left join run on true
    where
        collectives.complete
        and collectives.native_reason is null
        and operation_kind(collectives.op) = 'all'
        and collectives.comm not in (
            select comms.comm from comms
            where comms.second_group is not null
        )
        -- The path of a collective that returns early ends where a rank came to wait for it.
        and collectives.op not in (select returns_early_operations.name from returns_early_operations)
        and collectives.collective_id in (select native_hops.collective_id from native_hops)
        and collectives.last_enter_ns - path_ends.begin_ns > coalesce(run.clock_error_ns, 0)
),

-- A nonblocking call is left long before its operation is complete.
ends as materialized (
    select
        collective_id,
        max(coalesce(complete_ns, leave_ns)) as last_ns
    from calls
    group by collective_id
),

-- Only violations get a sentence: for millions of rows sentences would take longer than the checks.
findings as (
    select
        1 as place,
        'a hop is received after it was sent' as rule,
        recv_end_ns < send_begin_ns as is_violated,
        case
            when is_violated then
                format('hop {}: sent {}, received {}', hop_id, send_begin_ns, recv_end_ns)
        end as violation,
        send_begin_ns - recv_end_ns <= clock_error_ns as is_explained
    from hops

    union all
    select
        2 as place,
        'both ends of a hop are members of its communicator' as rule,
        senders.rank is null or receivers.rank is null as is_violated,
        case
            when is_violated then
                format('hop {}: {} to {} in collective {}', hops.hop_id, hops.src, hops.dst, hops.collective_id)
        end as violation,
        false as is_explained
    from hops
    left join collectives on hops.collective_id = collectives.collective_id
    left join members as senders on collectives.comm = senders.comm and hops.src = senders.rank
    left join members as receivers on collectives.comm = receivers.comm and hops.dst = receivers.rank

    union all
    select
        3 as place,
        'a message is received after it was sent' as rule,
        recv_end_ns < send_begin_ns as is_violated,
        case
            when is_violated then
                format('message {}: sent {}, received {}', message_id, send_begin_ns, recv_end_ns)
        end as violation,
        send_begin_ns - recv_end_ns <= clock_error_ns as is_explained
    from messages

    union all
    select
        4 as place,
        'a call is left after it was entered' as rule,
        coalesce(leave_ns < enter_ns, false) as is_violated,
        case
            when is_violated then
                format('call {} of rank {}: entered {}, left {}', call_id, rank, enter_ns, leave_ns)
        end as violation,
        false as is_explained
    from calls

    union all
    select
        5 as place,
        'an interval ends after it began' as rule,
        coalesce(end_ns < begin_ns, false) as is_violated,
        case
            when is_violated then
                format('interval {} of rank {}: {} to {}', interval_id, rank, begin_ns, end_ns)
        end as violation,
        false as is_explained
    from intervals

    union all
    select
        6 as place,
        'a complete collective has one call per member' as rule,
        count(calls.rank) <> any_value(collectives.comm_size)
        or count(distinct calls.rank) <> any_value(collectives.comm_size) as is_violated,
        case
            when is_violated then
                format(
                    'collective {}: {} calls of {} ranks, {} members',
                    collectives.collective_id,
                    count(calls.rank),
                    count(distinct calls.rank),
                    any_value(collectives.comm_size)
                )
        end as violation,
        false as is_explained
    from collectives
    left join calls on collectives.collective_id = calls.collective_id
    where collectives.complete
    group by collectives.collective_id

    union all
    select
        7 as place,
        'communicator and number name one collective' as rule,
        count(*) > 1 as is_violated,
        case
            when is_violated then
                format('{}:{} is there {} times', comm, seq, count(*))
        end as violation,
        false as is_explained
    from collectives
    group by comm, seq

    union all
    select
        8 as place,
        'every complete collective that somebody left has a critical path' as rule,
        path_ends.path is null as is_violated,
        case
            when is_violated then
                format('collective {}', collectives.collective_id)
        end as violation,
        false as is_explained
    from collectives
    left join path_ends
        on path_ends.path = 'collective' and collectives.collective_id = path_ends.path_collective_id
    -- A collective that ended when its last member entered, as with a clock that stands still, has no path.
    where collectives.complete and collectives.last_enter_ns < collectives.last_leave_ns

    union all
    select
        9 as place,
        'the stretches of a critical path add up to its length' as rule,
        time_ns <> end_ns - begin_ns or shortest_ns < 0 as is_violated,
        case
            when is_violated then
                format(
                    '{} path {}: {} from begin to end, {} in stretches',
                    path, coalesce(path_collective_id::varchar, ''), end_ns - begin_ns, time_ns
                )
        end as violation,
        false as is_explained
    from path_ends

    union all
    select
        10 as place,
        'the critical path of a collective ends at its last leave' as rule,
        path_ends.end_ns <> ends.last_ns as is_violated,
        case
            when is_violated then
                format(
                    'collective {}: path ends {}, last leave {}',
                    collectives.collective_id, path_ends.end_ns, ends.last_ns
                )
        end as violation,
        false as is_explained
    from path_ends
    inner join collectives on path_ends.path_collective_id = collectives.collective_id
    inner join ends on collectives.collective_id = ends.collective_id
    where path_ends.path = 'collective' and collectives.complete

    union all
    select
        11 as place,
        'every file has the content that the conversion wrote' as rule,
        coalesce(sha256 <> found_sha256, true) as is_violated,
        case
            when is_violated then
                format('{}: its SHA-256 differs from manifest.json; delete the dataset and ask the trace again', path)
        end as violation,
        false as is_explained
    from dataset_files
),

rules as (
    select
        unnest([
            'a hop is received after it was sent',
            'both ends of a hop are members of its communicator',
            'a message is received after it was sent',
            'a call is left after it was entered',
            'an interval ends after it began',
            'a complete collective has one call per member',
            'communicator and number name one collective',
            'every complete collective that somebody left has a critical path',
            'the stretches of a critical path add up to its length',
            'the critical path of a collective ends at its last leave',
            'every file has the content that the conversion wrote'
        ]) as rule,
        unnest(range(1, 12)) as place
),

rule_counts as (
    select
        place,
        count(*) as looked_at,
        count(*) filter (where is_violated and is_explained) as explained,
        count(*) filter (where is_violated and not is_explained) as unexplained,
        min(violation) filter (where is_violated and not is_explained) as example
    from findings
    group by place
),

verdicts as (
    select
        rules.place,
        rules.rule,
        coalesce(rule_counts.looked_at, 0) as looked_at,
        coalesce(rule_counts.explained, 0) as explained,
        coalesce(rule_counts.unexplained, 0) as unexplained,
        case
            when coalesce(rule_counts.looked_at, 0) = 0 then 'nothing to check'
            when rule_counts.unexplained > 0 then 'fails'
            else 'holds'
        end as verdict,
        rule_counts.example
    from rules
    left join rule_counts on rules.place = rule_counts.place

    union all
    select
        12 as place,
        'incomplete collectives, exempt' as rule,
        count(*) as looked_at,
        0 as explained,
        0 as unexplained,
        'exempt' as verdict,
        null as example
    from collectives
    where not complete

    union all
    select
        13 as place,
        unnest(['damaged files, left out from the damage on', 'events of clocks that turned back, set right']) as rule,
        unnest([damaged_files, set_back_events]) as looked_at,
        0 as explained,
        0 as unexplained,
        'exempt' as verdict,
        unnest([if(damaged_files > 0, missing, null), null]) as example
    from run

    union all
    select
        14 as place,
        'critical paths through native hops that miss the last enter, exempt' as rule,
        count(*) as looked_at,
        0 as explained,
        0 as unexplained,
        'exempt' as verdict,
        min_by(
            format(
                'collective {}: path begins {}, rank {} entered {}', collective_id, begin_ns, last_rank, last_enter_ns
            ),
            (begin_ns - last_enter_ns, collective_id)
        ) as example
    from missed
    having count(*) > 0
)

select
    rule,
    looked_at as rows,
    explained as inside,
    unexplained as beyond,
    verdict,
    example
from verdicts
order by place, rule
