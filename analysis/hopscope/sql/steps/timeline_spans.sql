-- Each thread's calls in MPI in a part of the run, each with the category of its time, as in the table time_bins.
--
-- One row per call, or gap in the recording, that lies at least partly between the two times. Calls inside other calls
-- have rows, too, after the outer call. A call without an end lasts to the last event of its rank. has_hops is true if
-- the call's waits for hops count for the link classes of the hops (timeline_waits) instead of the category.
create or replace macro timeline_spans(begin_at, end_at) as table
    with shown_calls as (
        select
            call_id,
            collective_id,
            rank,
            location,
            enter_ns,
            leave_ns
        from calls
        where enter_ns < end_at and (leave_ns > begin_at or leave_ns is null)
    ),

    shown_intervals as (
        select
            interval_id,
            rank,
            location,
            kind,
            begin_ns,
            end_ns
        from intervals
        where kind not in ('region', 'idle', 'join') and begin_ns < end_at and (end_ns > begin_at or end_ns is null)
    ),

    waits as (
        select
            interval_id,
            rank,
            location,
            begin_ns,
            coalesce(end_ns, 9223372036854775807) as end_ns
        from shown_intervals
        where kind = 'wait'
    ),

    shown_completions as (
        select
            location,
            wait_begin_ns,
            max(complete_ns) as complete_ns
        from calls
        where wait_begin_ns < end_at and complete_ns > begin_at
        group by location, wait_begin_ns
    ),

    -- The waits of threads for their own nonblocking collectives.
    own_waits as (
        select
            shown_completions.location,
            shown_completions.wait_begin_ns,
            shown_completions.complete_ns
        from shown_completions
        semi join intervals
            on
                shown_completions.location = intervals.location
                and shown_completions.wait_begin_ns = intervals.begin_ns
    ),

    -- The calls that lie in such a wait: after the first one, the later polls of a row.
    polls as (
        select
            waits.interval_id,
            own_waits.location,
            own_waits.wait_begin_ns
        from waits
        asof inner join own_waits on waits.location = own_waits.location and waits.begin_ns >= own_waits.wait_begin_ns
        where waits.begin_ns < own_waits.complete_ns
    ),

    -- Nonblocking collectives that were waited for in a call, also by another thread.
    completed as (
        select
            waits.interval_id,
            calls.collective_id
        from waits
        inner join calls on waits.rank = calls.rank and waits.begin_ns = calls.wait_begin_ns
        where calls.wait_begin_ns is not null and calls.complete_ns is not null
        union
        select
            polls.interval_id,
            calls.collective_id
        from polls
        inner join calls on polls.location = calls.location and polls.wait_begin_ns = calls.wait_begin_ns
    ),

    shown_collectives as (
        select collective_id from shown_calls
        union
        select collective_id from completed
    ),

    with_hops as (
        select calls.collective_id
        from calls
        semi join shown_collectives on calls.collective_id = shown_collectives.collective_id
        where calls.engine = 'tree'
        union
        select hops.collective_id
        from hops
        semi join shown_collectives on hops.collective_id = shown_collectives.collective_id
        inner join collectives on hops.collective_id = collectives.collective_id
        where collectives.native_reason is null
    ),

    completing as (
        select
            completed.interval_id,
            bool_or(with_hops.collective_id is not null) as has_hops
        from completed
        left join with_hops on completed.collective_id = with_hops.collective_id
        group by completed.interval_id
    ),

    -- Ends of the application's messages. Only those during the waits can have ended a wait.
    waited as (
        select
            min(begin_ns) as begin_ns,
            max(end_ns) as end_ns
        from waits
    ),

    message_ends as (
        select
            dst_location as location,
            recv_end_ns as at_ns
        from messages
        where recv_end_ns > (select waited.begin_ns from waited) and recv_end_ns <= (select waited.end_ns from waited)
        union all
        select
            src_location as location,
            send_end_ns as at_ns
        from messages
        where send_end_ns > (select waited.begin_ns from waited) and send_end_ns <= (select waited.end_ns from waited)
    ),

    -- Each wait with the last message that was complete when it ended.
    waits_for_messages as (
        select
            waits.interval_id,
            message_ends.at_ns > waits.begin_ns as has_message_end
        from waits
        asof inner join message_ends on waits.location = message_ends.location and waits.end_ns >= message_ends.at_ns
    ),

    spans as (
        select
            shown_calls.call_id as id,
            0 as source,
            shown_calls.rank,
            shown_calls.location,
            shown_calls.enter_ns as begin_ns,
            shown_calls.leave_ns as end_ns,
            case
                when mpi_functions.kind in ('nonblocking', 'persistent') then 'local'
                when with_hops.collective_id is null and mpi_functions.kind in ('rma', 'io') then mpi_functions.kind
                when with_hops.collective_id is null and mpi_functions.kind = 'comm' then 'mpi'
                when with_hops.collective_id is null then 'native'
                else 'local'
            end as category,
            coalesce(mpi_functions.kind not in ('nonblocking', 'persistent'), true)
            and with_hops.collective_id is not null as has_hops
        from shown_calls
        inner join collectives on shown_calls.collective_id = collectives.collective_id
        left join mpi_functions on collectives.op = mpi_functions.name
        left join with_hops on shown_calls.collective_id = with_hops.collective_id
        union all
        select
            shown_intervals.interval_id as id,
            1 as source,
            shown_intervals.rank,
            shown_intervals.location,
            shown_intervals.begin_ns,
            shown_intervals.end_ns,
            case
                when shown_intervals.kind = 'off' then 'unrecorded'
                when shown_intervals.kind in ('p2p', 'rma', 'io', 'overhead') then shown_intervals.kind
                when completing.has_hops then 'local'
                when not completing.has_hops then 'native'
                when waits_for_messages.has_message_end then 'p2p'
                else 'mpi'
            end as category,
            coalesce(completing.has_hops, false) as has_hops
        from shown_intervals
        left join completing on shown_intervals.interval_id = completing.interval_id
        left join waits_for_messages on shown_intervals.interval_id = waits_for_messages.interval_id
    )

    select
        spans.rank,
        spans.location,
        spans.begin_ns,
        least(coalesce(spans.end_ns, ranks.last_event_ns), ranks.last_event_ns) as end_ns,
        spans.category,
        spans.has_hops
    from spans
    inner join ranks on spans.rank = ranks.rank
    order by
        spans.location asc,
        spans.begin_ns asc,
        coalesce(spans.end_ns, 9223372036854775807) desc,
        spans.source asc,
        spans.id asc;
