-- The computing of each rank between one MPI call and the next, on its first thread, in the whole run.
--
-- One row per gap between consecutive outermost MPI calls (calls of collectives, and all intervals except user
-- regions). The collector's own time in a gap is not computing. A place is the pair of call sites around the gap, as a
-- number; where call sites are not known, the operation and its communicator stand in. occurrence counts a rank's gaps
-- at one place from 1.
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
    where kind not in ('region', 'overhead')
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
),

overheads as (
    select
        whole_intervals.rank,
        whole_intervals.begin_ns,
        whole_intervals.end_ns
    from whole_intervals
    inner join first_threads
        on whole_intervals.rank = first_threads.rank and whole_intervals.location = first_threads.location
    where whole_intervals.kind = 'overhead' and whole_intervals.end_ns is not null
),

-- The overhead before each call. Overhead inside MPI calls lies in no gap.
overhead_sums as (
    select
        overheads.rank,
        outermost.begin_ns,
        sum(overheads.end_ns - overheads.begin_ns)::bigint as overhead_ns
    from overheads
    asof inner join outermost
        on overheads.rank = outermost.rank and overheads.end_ns <= outermost.begin_ns
    where overheads.begin_ns >= outermost.free_ns
    group by overheads.rank, outermost.begin_ns
)

select
    outermost.rank,
    outermost.place,
    outermost.free_ns as begin_ns,
    outermost.begin_ns as end_ns,
    greatest(outermost.begin_ns - outermost.free_ns - coalesce(overhead_sums.overhead_ns, 0), 0) as computing_ns,
    row_number() over (partition by outermost.rank, outermost.place order by outermost.begin_ns) as occurrence
from outermost
left join overhead_sums on outermost.rank = overhead_sums.rank and outermost.begin_ns = overhead_sums.begin_ns
where outermost.free_ns is not null;
