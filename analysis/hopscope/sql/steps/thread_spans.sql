-- The times in which a communicating thread does not compute: its outermost MPI calls, and waits for other threads.
--
-- communicates is true if the call would take no time on an ideal network except for waiting (collectives, sends,
-- receives, waits, tests and windows). A call that did not end lasts to the end of the communication. So does
-- MPI_Finalize, because a rank that is done computes no more and waits for the others. kind is that of the table
-- intervals, or `collective`; in a span of kind `idle` the thread had ended.
--
-- uses communication_window, communicating_threads
create or replace view thread_spans as
with things as (
    select
        calls.rank,
        calls.location,
        'collective' as kind,
        calls.enter_ns as begin_ns,
        coalesce(calls.leave_ns, communication_window.end_ns) as end_ns,
        coalesce(mpi_functions.kind, 'collective') <> 'io' as communicates
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    left join mpi_functions on collectives.op = mpi_functions.name
    cross join communication_window

    union all
    select
        intervals.rank,
        intervals.location,
        intervals.kind::varchar as kind,
        intervals.begin_ns,
        case
            when intervals.end_ns is null or intervals.kind = 'finalize'
                then greatest(intervals.begin_ns, intervals.end_ns, communication_window.end_ns)
            else intervals.end_ns
        end as end_ns,
        intervals.kind in ('p2p', 'wait', 'rma', 'mixed', 'finalize') as communicates
    from intervals
    cross join communication_window
    where intervals.kind <> 'region'
),

-- Each span with the time until which its thread was busy before. A partition by is_alone, too, lets DuckDB leave out
-- threads that a query does not select before it sorts.
on_threads as (
    select
        things.*,
        threads.is_alone,
        max(things.end_ns) over (
            partition by things.rank, things.location, threads.is_alone
            order by things.begin_ns asc, things.end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as busy_until_ns
    from things
    inner join communicating_threads as threads on things.rank = threads.rank and things.location = threads.location
)

select
    rank,
    location,
    is_alone,
    kind,
    begin_ns,
    end_ns,
    communicates
from on_threads
where busy_until_ns is null or begin_ns >= busy_until_ns;
