-- The threads that were ever in MPI, with their ranks.
--
-- One row per thread, in the order of their locations.
create or replace view timeline_threads as
with thread_locations as (
    select
        rank,
        location
    from calls
    union
    select
        rank,
        location
    from intervals
    where kind not in ('region', 'idle', 'join')
)

select
    rank,
    location
from thread_locations
order by location;
