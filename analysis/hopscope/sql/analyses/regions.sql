-- Time in the program's own regions, by rank.
--
-- Regions are marked with hopscope/region.h or come from another tool's trace. Time includes everything called inside.
-- A region inside another of the same name counts once. Times of threads add up.
--
-- param region VARCHAR = null -- Only this region.
-- key region, rank
-- column region VARCHAR -- Name of the region.
-- column rank INTEGER -- The rank.
-- column visits BIGINT -- Number of visits.
-- column time_ns BIGINT -- Time inside the region.
-- column mean_ns BIGINT -- Mean time of a visit.
-- column longest_ns BIGINT -- Time of the longest visit.
-- column mpi_ns BIGINT -- Part of the time in MPI calls.
-- column share DOUBLE -- Time inside as a share of the time of the rank's threads.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- uses region_visits, rank_times, track_threads, share_of, share_intervals, block_of
-- bar share
-- empty note there are no regions; the program marks them by hopscope_region_begin and hopscope_region_end (hopscope/region.h)
-- example analyze regions trace --region solve
with outermost as (
    select *
    from region_visits
    where $region is null or region = $region
),

-- Calls of MPI in order. Their times are added up, so that the time in a region is a difference of two sums.
things as (
    select
        location,
        enter_ns as begin_ns,
        coalesce(leave_ns, enter_ns) as end_ns
    from calls

    union all
    select
        location,
        begin_ns,
        coalesce(end_ns, begin_ns) as end_ns
    from intervals
    where kind not in ('region', 'overhead', 'off', 'idle', 'join', 'tool')
),

ordered as (
    select
        *,
        max(end_ns) over (
            partition by location
            order by begin_ns asc, end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as free_ns
    from things
    -- Most programs mark no region. Then no rows are left to sort.
    where location in (select outermost.location from outermost)
),

so_far as (
    select
        location,
        begin_ns,
        sum(end_ns - begin_ns) over (partition by location order by begin_ns, end_ns) as mpi_ns
    from ordered
    where free_ns is null or begin_ns >= free_ns
),

visits as (
    select
        outermost.region,
        outermost.rank,
        outermost.end_ns - outermost.begin_ns as time_ns,
        coalesce(at_end.mpi_ns, 0) - coalesce(at_begin.mpi_ns, 0) as mpi_ns
    from outermost
    asof left join so_far as at_begin
        on outermost.location = at_begin.location and outermost.begin_ns > at_begin.begin_ns
    asof left join so_far as at_end
        on outermost.location = at_end.location and outermost.end_ns > at_end.begin_ns
),

placed as (
    select
        first_enter_ns,
        block_of(row_number() over (order by collective_id) - 1, count(*) over ()) as block
    from collectives
),

begins as (
    select
        block,
        min(first_enter_ns) as begin_ns
    from placed
    group by block
),

-- The run, cut where blocks of collectives begin. The time before the first block happens once and has no block.
pieces as (
    select
        block,
        begin_ns,
        lead(begin_ns, 1, (select max(ranks.last_event_ns) from ranks)) over (order by block) as end_ns
    from begins

    union all
    select
        null as block,
        (select min(ranks.first_event_ns) from ranks) as begin_ns,
        min(begin_ns) as end_ns
    from begins
),

visited_times as (
    select
        outermost.region,
        outermost.rank,
        pieces.begin_ns,
        sum(least(outermost.end_ns, pieces.end_ns) - greatest(outermost.begin_ns, pieces.begin_ns)) as part
    from outermost
    inner join pieces on outermost.begin_ns < pieces.end_ns and outermost.end_ns > pieces.begin_ns
    group by outermost.region, outermost.rank, pieces.begin_ns
),

regions_of as (
    select distinct
        region,
        rank
    from outermost
),

threads_of as (
    select
        rank,
        count(*) as threads
    from track_threads
    group by rank
),

share_measures as (  -- noqa: ST03
    select
        format('{} {}', regions.rank, regions.region) as key,
        pieces.block,
        coalesce(visited_times.part, 0) as part,
        threads_of.threads * greatest(
            0, least(pieces.end_ns, ranks.last_event_ns) - greatest(pieces.begin_ns, ranks.first_event_ns)
        ) as whole  -- the rank's own time: others may begin earlier or go on longer
    from regions_of as regions
    inner join ranks on regions.rank = ranks.rank
    inner join threads_of on regions.rank = threads_of.rank
    cross join pieces
    left join visited_times
        on
            regions.region = visited_times.region
            and regions.rank = visited_times.rank
            and pieces.begin_ns = visited_times.begin_ns
)

select
    visits.region,
    visits.rank,
    count(*)::bigint as visits,
    sum(visits.time_ns)::bigint as time_ns,
    (sum(visits.time_ns) / count(*))::bigint as mean_ns,
    max(visits.time_ns)::bigint as longest_ns,
    sum(visits.mpi_ns)::bigint as mpi_ns,
    share_of(sum(visits.time_ns), any_value(threads_of.threads * rank_times.time_ns))::double as share,
    any_value(intervals.share_low) as share_low,
    any_value(intervals.share_high) as share_high
from visits
inner join rank_times on visits.rank = rank_times.rank
inner join threads_of on visits.rank = threads_of.rank
left join share_intervals('share_measures') as intervals
    on format('{} {}', visits.rank, visits.region) = intervals.key
group by visits.region, visits.rank
order by sum(sum(visits.time_ns)) over (partition by visits.region) desc, visits.region asc, visits.rank asc
