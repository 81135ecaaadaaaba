-- The tracks of a timeline: one for each thread with recorded events, numbered from 1 over the whole trace.
--
-- thread is the thread's number within its rank, from 0, in the order of the archive's locations.
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
