-- The threads that were ever in MPI, of every rank.
--
-- One row per thread; a rank that was never in MPI has one row without a location.
create or replace view timeline_threads as
with seen as (
    select
        rank,
        location
    from calls
    union
    select
        rank,
        location
    from intervals
    where kind <> 'region'
)

select
    ranks.rank,
    seen.location
from ranks
left join seen on ranks.rank = seen.rank
order by ranks.rank, seen.location;
