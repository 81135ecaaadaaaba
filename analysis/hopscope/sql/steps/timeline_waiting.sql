-- The times in which ranks waited for another rank in a part of the run, and the MPI function in which they waited.
--
-- One row per wait that lies at least partly between the two times; waits of one thread do not overlap. Waits for later
-- ranks in collectives come from `waiting`, waits for the other end of a message from `message_waits`. A wait counts
-- for the calls during which the rank waited: the one in which the wait began and, in a row of polls, those that
-- followed. So a wait for a nonblocking operation counts for the calls that led to the operation's end.
--
-- uses mpi_calls, waiting, message_waits
create or replace macro timeline_waiting(begin_at, end_at) as table
    with shown_calls as (
        select
            rank,
            location,
            operation,
            begin_ns,
            end_ns
        from mpi_calls
        where begin_ns < end_at and end_ns > begin_at
    ),

    collective_waits as (
        select
            calls.location,
            coalesce(calls.wait_begin_ns, calls.enter_ns) as begin_ns,
            least(
                coalesce(calls.wait_begin_ns, calls.enter_ns) + waiting.waiting_ns,
                coalesce(calls.complete_ns, calls.leave_ns)
            ) as end_ns
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

    -- Waits that begin together overlap.
    longest_waits as (
        select
            location,
            begin_ns,
            max(end_ns) as end_ns
        from waits
        group by location, begin_ns
    ),

    -- Each wait with the call that it began in, and with the later calls that it lasted into.
    waits_in_calls as (
        select
            shown_calls.rank,
            shown_calls.location,
            shown_calls.operation,
            waits.begin_ns,
            least(waits.end_ns, shown_calls.end_ns) as end_ns
        from waits
        asof inner join shown_calls on waits.location = shown_calls.location and waits.begin_ns >= shown_calls.begin_ns
        union all
        select
            shown_calls.rank,
            shown_calls.location,
            shown_calls.operation,
            shown_calls.begin_ns,
            least(longest_waits.end_ns, shown_calls.end_ns) as end_ns
        from shown_calls
        asof inner join longest_waits
            on shown_calls.location = longest_waits.location and shown_calls.begin_ns > longest_waits.begin_ns
        where longest_waits.end_ns > shown_calls.begin_ns
    ),

    -- If two waits overlap, as in MPI_Waitall, the one that began first gets the time of both.
    disjoint_waits as (
        select
            rank,
            location,
            operation,
            greatest(
                begin_ns,
                max(end_ns) over (
                    partition by location order by begin_ns asc, end_ns desc
                    rows between unbounded preceding and 1 preceding
                )
            ) as begin_ns,
            end_ns
        from waits_in_calls
    )

    select
        rank,
        location,
        operation,
        begin_ns,
        end_ns
    from disjoint_waits
    where begin_ns < end_ns
    order by location, begin_ns;
