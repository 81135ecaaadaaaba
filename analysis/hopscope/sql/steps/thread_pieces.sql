-- The time of each rank with several communicating threads, cut where the number of threads that compute changes.
--
-- threads is the number of communicating threads that the rank has at the time. computing is the number of these that
-- are outside MPI and do not wait for another thread to end. communicates is true if it is true in `thread_spans` for
-- any of them. A rank whose only communicating thread is its first one has no row.
--
-- uses thread_spans, communicating_threads, communication_window
create or replace view thread_pieces as
with ends as (
    select
        rank,
        min(begin_ns) as at_ns
    from intervals
    where kind = 'finalize'
    group by rank
),

-- The spans of each thread up to MPI_Finalize, at which all threads of the rank end.
shared_spans as (
    select
        spans.rank,
        spans.location,
        spans.kind,
        spans.communicates,
        spans.begin_ns,
        least(spans.end_ns, ends.at_ns) as end_ns
    from thread_spans as spans
    left join ends on spans.rank = ends.rank
    where not spans.is_alone and spans.kind <> 'finalize' and (ends.at_ns is null or spans.begin_ns < ends.at_ns)
),

several as (
    select rank
    from communicating_threads
    where not is_alone
),

finalizing as (
    select
        ends.rank,
        ends.at_ns as begin_ns,
        greatest(ends.at_ns, communication_window.end_ns) as end_ns
    from ends
    cross join communication_window
    semi join several on ends.rank = several.rank
),

-- Changes of three numbers: the rank's threads, those that do not compute, and those that communicate.
changes as (
    select
        rank,
        unnest([min(begin_ns), max(end_ns)]) as at_ns,
        unnest([1, -1]) as threads,
        0 as busy,
        0 as communicating
    from shared_spans
    group by rank, location

    union all
    select
        rank,
        unnest([begin_ns, end_ns]) as at_ns,
        if(kind = 'idle', -1, 0) * unnest([1, -1]) as threads,
        if(kind = 'idle', 0, 1) * unnest([1, -1]) as busy,
        if(communicates, 1, 0) * unnest([1, -1]) as communicating
    from shared_spans

    union all
    select
        rank,
        unnest([begin_ns, end_ns]) as at_ns,
        unnest([1, -1]) as threads,
        unnest([1, -1]) as busy,
        unnest([1, -1]) as communicating
    from finalizing
),

moments as (
    select
        rank,
        at_ns,
        sum(threads) as threads,
        sum(busy) as busy,
        sum(communicating) as communicating
    from changes
    group by rank, at_ns
),

pieces as (
    select
        rank,
        at_ns as begin_ns,
        lead(at_ns) over of_rank as end_ns,
        sum(threads) over of_rank as threads,
        sum(busy) over of_rank as busy,
        sum(communicating) over of_rank as communicating
    from moments
    window of_rank as (partition by rank order by at_ns)
)

select
    rank,
    begin_ns,
    end_ns,
    threads,
    threads - busy as computing,
    communicating > 0 as communicates
from pieces
where end_ns is not null;
