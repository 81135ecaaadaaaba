-- The times in which each rank does not compute: its outermost MPI calls.
--
-- Of a rank with several communicating threads: where all of those that there are at a time are in MPI or wait for another one to end. communicates is as in
-- `thread_spans`, of any of them; location is the first of them.
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
