-- The computing of each rank between one MPI call and the next, on its first thread, in the whole run.
--
-- One row per gap between consecutive outermost MPI things (calls of collectives, and every interval that is no user region). A place is the pair of call
-- sites around the gap, as a number; where call sites are not known, the operation and its communicator stand in. occurrence counts a rank's gaps at one
-- place from 1.
--
-- kept beside the dataset
create or replace view whole_computing_gaps as
with things as not materialized (
    select
        calls.rank,
        calls.location,
        calls.enter_ns as begin_ns,
        coalesce(calls.leave_ns, calls.enter_ns) as end_ns,
        coalesce(calls.call_site, collectives.op || ' on ' || collectives.comm::varchar) as site
    from whole_calls as calls
    inner join whole_collectives as collectives on calls.collective_id = collectives.collective_id

    union all
    select
        rank,
        location,
        begin_ns,
        coalesce(end_ns, begin_ns) as end_ns,
        coalesce(call_site, region) as site
    from whole_intervals
    where kind <> 'region'
),

-- Numbers are sorted faster than names.
sites as (
    select
        site,
        row_number() over (order by site) as number
    from (select distinct things.site from things) as distinct_sites
),

first_threads as (
    select
        rank,
        min(location) as location
    from things
    group by rank
),

first_thread as (
    select
        things.rank,
        things.begin_ns,
        things.end_ns,
        sites.number as site,
        max(things.end_ns) over (
            partition by things.rank
            order by things.begin_ns asc, things.end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as free_ns
    from things
    inner join first_threads on things.rank = first_threads.rank and things.location = first_threads.location
    inner join sites on things.site = sites.site
),

-- A span that begins inside another is not outermost.
outermost as (
    select
        rank,
        free_ns,
        begin_ns,
        (lag(site) over (partition by rank order by begin_ns, end_ns) << 32) + site as place
    from first_thread
    where free_ns is null or begin_ns >= free_ns
)

select
    rank,
    place,
    free_ns as begin_ns,
    begin_ns as end_ns,
    begin_ns - free_ns as computing_ns,
    row_number() over (partition by rank, place order by begin_ns) as occurrence
from outermost
where free_ns is not null;
