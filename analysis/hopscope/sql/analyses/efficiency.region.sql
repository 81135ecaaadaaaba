-- Parallel efficiency and load balance inside each region of the program.
--
-- The metrics are those of `analyze efficiency`, with T the longest time of a rank inside the region. Times of nested
-- regions do not add up.
--
-- grain by = region
-- key region
-- column region VARCHAR -- Name of the region.
-- column ranks BIGINT -- Ranks that enter the region.
-- column time_ns BIGINT -- Longest time of a rank inside the region.
-- column useful_ns DOUBLE -- Mean useful time of the ranks inside the region.
-- column parallel_efficiency DOUBLE [share] -- As in `analyze efficiency`; null if no time passes inside.
-- column parallel_efficiency_low DOUBLE [share] -- Lower end of its interval.
-- column parallel_efficiency_high DOUBLE [share] -- Upper end of its interval.
-- column load_balance DOUBLE [share] -- As in `analyze efficiency`; null if no rank computes.
-- column load_balance_low DOUBLE [share] -- Lower end of its interval.
-- column load_balance_high DOUBLE [share] -- Upper end of its interval.
-- column communication_efficiency DOUBLE [share] -- As in `analyze efficiency`.
-- column communication_efficiency_low DOUBLE [share] -- Lower end of its interval.
-- column communication_efficiency_high DOUBLE [share] -- Upper end of its interval.
-- column note VARCHAR -- Why something is null.
-- narrow communication_efficiency_high, communication_efficiency_low, load_balance_high, load_balance_low, parallel_efficiency_high,
--    parallel_efficiency_low, note, useful_ns
-- uses region_visits, communication_blocks, mpi_until, mpi_spans
-- then explain.region_efficiency -- The bootstrap of means and maxima.
-- bar parallel_efficiency
-- empty note no region of the program is visited while it communicates; `analyze regions` says how a program marks them
-- example analyze efficiency trace --by region
with first_threads as (
    select distinct
        rank,
        location
    from mpi_spans
),

cut as (
    select
        region_visits.region,
        region_visits.rank,
        communication_blocks.block,
        greatest(region_visits.begin_ns, communication_blocks.begin_ns) as begin_ns,
        least(region_visits.end_ns, communication_blocks.end_ns) as end_ns
    from region_visits
    inner join first_threads
        on region_visits.rank = first_threads.rank and region_visits.location = first_threads.location
    inner join communication_blocks
        on
            region_visits.begin_ns < communication_blocks.end_ns
            and region_visits.end_ns > communication_blocks.begin_ns
),

-- The time inside a region is the sum of the times at which its visits end, less the sum of those at which they begin.
ends as (  -- noqa: ST03
    select
        region,
        rank,
        block,
        unnest([begin_ns, end_ns]) as at_ns,
        unnest([-1, 1]) as sign
    from cut
)

select
    ends.region,
    ends.rank,
    ends.block,
    sum(ends.sign * ends.at_ns)::bigint as time_ns,
    sum(ends.sign * (ends.at_ns - ends.mpi_ns))::bigint as useful_ns,
    (select count(*) from communication_blocks) as blocks
from mpi_until('ends') as ends
group by ends.region, ends.rank, ends.block
order by ends.region, ends.rank, ends.block
