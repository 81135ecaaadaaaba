-- The outermost MPI calls of each rank, on its first thread.
--
-- communicates is true if the call would take no time on an ideal network except waiting (collectives, sends, receives,
-- waits, tests and windows). A call that did not end lasts to the end of the communication. So does MPI_Finalize: a
-- rank that is done computes no more, and waits for the others.
--
-- uses communication_window
-- kept beside the dataset
create or replace view mpi_spans as
with things as (
    select
        calls.rank,
        calls.location,
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
        intervals.begin_ns,
        case
            when intervals.end_ns is null or intervals.kind = 'finalize'
                then greatest(intervals.begin_ns, intervals.end_ns, communication_window.end_ns)
            else intervals.end_ns
        end as end_ns,
        intervals.kind in ('p2p', 'wait', 'rma', 'finalize') as communicates
    from intervals
    cross join communication_window
    where intervals.kind <> 'region'
),

first_threads as (
    select
        rank,
        min(location) as location
    from things
    group by rank
),

on_first_thread as (
    select
        things.*,
        max(things.end_ns) over (
            partition by things.rank order by things.begin_ns asc, things.end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as busy_until_ns
    from things
    inner join first_threads on things.rank = first_threads.rank and things.location = first_threads.location
)

select
    rank,
    location,
    begin_ns,
    end_ns,
    communicates
from on_first_thread
where busy_until_ns is null or begin_ns >= busy_until_ns;
