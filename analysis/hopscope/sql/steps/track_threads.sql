-- The tracks: one for each thread of each rank that anything was recorded on, numbered from 1 over the whole trace.
--
-- thread counts within the rank from 0, in the order of the archive's locations; a rank without threads of its own has only 0.
create or replace view track_threads as
with locations as (
    select
        rank,
        location
    from calls
    union
    select
        rank,
        location
    from intervals
    union
    select
        src as rank,
        src_location as location
    from messages
    union
    select
        dst as rank,
        dst_location as location
    from messages
),

threads as (
    select
        ranks.rank,
        ranks.host,
        ranks.cluster,
        locations.location,
        row_number() over (partition by ranks.rank order by locations.location) - 1 as thread,
        row_number() over (order by ranks.rank, locations.location) as track
    from locations
    inner join ranks on locations.rank = ranks.rank
)

select
    *,
    'rank ' || rank || case when thread > 0 then ', thread ' || thread else '' end as track_name
from threads;
