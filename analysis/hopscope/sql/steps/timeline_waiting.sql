-- How long each rank waited for another one in a part of the run, by the MPI function that it was in.
--
-- One row per rank and function in which it waited. Waiting for later ranks in collectives is that of `waiting`, waiting for the other end of a message that of
-- `message_waits`; it counts for the call in which it was, so that of a nonblocking operation counts for the call that completed it.
--
-- uses waiting, message_waits
create or replace macro timeline_waiting(begin_at, end_at) as table
    with all_calls as (
        select
            calls.rank,
            calls.location,
            collectives.op as operation,
            calls.enter_ns as begin_ns,
            coalesce(calls.leave_ns, ranks.last_event_ns) as end_ns
        from calls
        inner join collectives on calls.collective_id = collectives.collective_id
        inner join ranks on calls.rank = ranks.rank
        union all
        select
            intervals.rank,
            intervals.location,
            intervals.region as operation,
            intervals.begin_ns,
            coalesce(intervals.end_ns, ranks.last_event_ns) as end_ns
        from intervals
        inner join ranks on intervals.rank = ranks.rank
        where intervals.kind not in ('region', 'overhead', 'off')
    ),

    spans as (
        select
            rank,
            location,
            operation,
            begin_ns,
            end_ns
        from all_calls
        where begin_ns < end_at and end_ns > begin_at
    ),

    collective_waits as (
        select
            calls.location,
            coalesce(calls.wait_begin_ns, calls.enter_ns) as begin_ns,
            coalesce(calls.wait_begin_ns, calls.enter_ns) + waiting.waiting_ns as end_ns
        from waiting
        inner join calls on waiting.collective_id = calls.collective_id and waiting.rank = calls.rank
    ),

    waits as (
        select
            location,
            begin_ns,
            end_ns
        from collective_waits
        where begin_ns < end_at and end_ns > begin_at and end_ns > begin_ns
        union all
        select
            waiting_location as location,
            wait_begin_ns as begin_ns,
            wait_begin_ns + receiver_waited_ns + sender_waited_ns as end_ns
        from message_waits
        where
            receiver_waited_ns + sender_waited_ns > 0
            and wait_begin_ns < end_at
            and wait_begin_ns + receiver_waited_ns + sender_waited_ns > begin_at
    ),

    -- Each wait with the call that it was in.
    waits_in_calls as (
        select
            spans.rank,
            spans.operation,
            waits.begin_ns,
            least(waits.end_ns, spans.end_ns) as end_ns
        from waits
        asof inner join spans on waits.location = spans.location and waits.begin_ns >= spans.begin_ns
    ),

    parts as (
        select
            rank,
            operation,
            greatest(least(end_ns, end_at) - greatest(begin_ns, begin_at), 0) as waiting_ns
        from waits_in_calls
    )

    select
        rank,
        operation,
        sum(waiting_ns)::bigint as waiting_ns
    from parts
    group by rank, operation
    order by rank, operation;
