-- The computing of each rank between one MPI call and the next, on each of its communicating threads, in the whole run.
--
-- One row per gap between consecutive outermost MPI calls (calls of collectives, and all intervals except user
-- regions). The collector's own time in a gap is not computing. A place is the pair of call sites around the gap, as a
-- number; where call sites are not known, the operation and its communicator stand in. occurrence counts a rank's gaps
-- at one place from 1.
--
-- uses communicating_threads
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
    where kind not in ('region', 'overhead')
),

-- Numbers are sorted faster than names.
sites as (
    select
        site,
        row_number() over (order by site) as number
    from (select distinct things.site from things) as distinct_sites
),

of_threads as (
    select
        things.rank,
        things.location,
        things.begin_ns,
        things.end_ns,
        sites.number as site,
        max(things.end_ns) over (
            partition by things.rank, things.location
            order by things.begin_ns asc, things.end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as free_ns
    from things
    inner join communicating_threads as threads on things.rank = threads.rank and things.location = threads.location
    inner join sites on things.site = sites.site
),

-- A span that begins inside another is not outermost.
outermost as (
    select
        rank,
        location,
        free_ns,
        begin_ns,
        (lag(site) over (partition by rank, location order by begin_ns, end_ns) << 32) + site as place
    from of_threads
    where free_ns is null or begin_ns >= free_ns
),

overheads as (
    select
        rank,
        location,
        begin_ns,
        end_ns
    from whole_intervals
    where kind = 'overhead' and end_ns is not null
),

-- The overhead before each call. Overhead inside MPI calls lies in no gap.
overhead_sums as (
    select
        overheads.rank,
        overheads.location,
        outermost.begin_ns,
        sum(overheads.end_ns - overheads.begin_ns)::bigint as overhead_ns
    from overheads
    asof inner join outermost
        on
            overheads.rank = outermost.rank
            and overheads.location = outermost.location
            and overheads.end_ns <= outermost.begin_ns
    where overheads.begin_ns >= outermost.free_ns
    group by overheads.rank, overheads.location, outermost.begin_ns
)

select
    outermost.rank,
    outermost.place,
    outermost.free_ns as begin_ns,
    outermost.begin_ns as end_ns,
    greatest(outermost.begin_ns - outermost.free_ns - coalesce(overhead_sums.overhead_ns, 0), 0) as computing_ns,
    row_number() over (partition by outermost.rank, outermost.place order by outermost.begin_ns) as occurrence
from outermost
left join overhead_sums
    on
        outermost.rank = overhead_sums.rank
        and outermost.location = overhead_sums.location
        and outermost.begin_ns = overhead_sums.begin_ns
where outermost.free_ns is not null;
