-- The times in which each rank does not compute: its outermost MPI calls.
--
-- A rank with several communicating threads does not compute while all threads that it has at the time are in MPI or
-- wait for another thread to end. communicates is true if it is true in `thread_spans` for one of these threads;
-- location is that of the rank's first communicating thread.
--
-- uses thread_spans, thread_pieces, communicating_threads
-- kept beside the dataset
create or replace view mpi_spans as
with first_threads as (
    select
        rank,
        min(location) as location
    from communicating_threads
    group by rank
)

select
    rank,
    location,
    begin_ns,
    end_ns,
    communicates
from thread_spans
where is_alone

union all
select
    pieces.rank,
    first_threads.location,
    pieces.begin_ns,
    pieces.end_ns,
    pieces.communicates
from thread_pieces as pieces
inner join first_threads on pieces.rank = first_threads.rank
where pieces.threads > 0 and pieces.computing <= 0;
