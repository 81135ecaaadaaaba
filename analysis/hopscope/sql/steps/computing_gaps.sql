-- The computing of each rank between one MPI call and the next, on its first thread.
--
-- One row per gap between consecutive outermost MPI things (calls of collectives, and every interval that is no user region). A place is the pair of call
-- sites around the gap; where call sites are not known, the operation and its communicator stand in. occurrence counts a rank's gaps at one place from 1.
create or replace view computing_gaps as
with things as (
    select
        calls.rank,
        calls.location,
        calls.enter_ns as begin_ns,
        coalesce(calls.leave_ns, calls.enter_ns) as end_ns,
        coalesce(calls.call_site, collectives.op || ' on ' || collectives.comm::varchar) as place
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id

    union all
    select
        rank,
        location,
        begin_ns,
        coalesce(end_ns, begin_ns) as end_ns,
        coalesce(call_site, region) as place
    from intervals
    where kind <> 'region'
),

main_thread as (
    select
        *,
        -- By location as well: rows of other threads are still there when this is computed.
        max(end_ns) over (
            partition by rank, location
            order by begin_ns asc, end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as free_ns
    from things
    qualify location = min(location) over (partition by rank)
),

-- What begins inside another is not outermost.
outermost as (
    select
        *,
        lag(place) over (partition by rank order by begin_ns, end_ns) as after_place
    from main_thread
    where free_ns is null or begin_ns >= free_ns
)

select
    rank,
    after_place,
    place,
    free_ns as begin_ns,
    begin_ns as end_ns,
    begin_ns - free_ns as computing_ns,
    row_number() over (partition by rank, after_place, place order by begin_ns) as occurrence
from outermost
where free_ns is not null;
