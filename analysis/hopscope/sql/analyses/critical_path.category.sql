-- Where the time of the run's critical path went.
--
-- The critical path is the chain of work and messages that decided how long the run took: from the last MPI_Finalize
-- back to the beginning, always along what a rank had to wait for. Anything off this path could be slower without
-- making the run slower. Every nanosecond of it falls into exactly one category, so the shares add up to 1:
--
-- compute  outside all MPI
-- local    inside collectives, on one rank: combining, serialisation, software
-- shm      hops between ranks of one host
-- lan      hops between hosts of one cluster
-- wan      hops between clusters
-- native   collectives that the MPI library ran, with no hops known
-- p2p      the application's own messages and the waits for them
-- mpi      other MPI: input and output, communicators, waits that match nothing
--
-- and `unrecorded` where the program had stopped the recording. MPI_Init of all ranks, and what lies before the first
-- collective or message and after the last one, happens once: it is left out, and said beside the answer, unless you ask for a time range that
-- reaches into it (`--from start`, `--to end`); then it is `startup` and `shutdown`.
--
-- share_low and share_high bound the share in 95 % of resampled runs (block bootstrap over collectives; what happens
-- once, before the first collective and after the last, is not resampled); they are null below 13 collectives.
--
-- grain by = category default
-- key category
-- column category VARCHAR -- Category of the time; the eight above are always listed.
-- columns of run_path_shares: time_ns, share, share_low, share_high, share_of_run
-- uses run_path_shares
-- bar share
-- example analyze critical-path trace --fail-if "compute.share < 50%"
with categories as (
    select
        category,
        ordinality as place
    from
        unnest(path_categories()) with ordinality as listed (category, ordinality)
),

found as materialized (
    select * from run_path_shares(category)
),

-- On a path that exists, a category that is not on it has the share 0; where there is no path, nobody knows.
absent as (
    select
        case when count(*) > 0 then 0 end as share,
        case when count(found.share_low) > 0 then 0 end as bound
    from found
)

select
    categories.category,
    coalesce(found.time_ns, 0)::bigint as time_ns,
    coalesce(found.share, absent.share)::double as share,
    coalesce(found.share_low, absent.bound)::double as share_low,
    coalesce(found.share_high, absent.bound)::double as share_high,
    coalesce(found.share_of_run, absent.share)::double as share_of_run
from categories
cross join absent
left join found on categories.category = found.key
where categories.category not in ('unrecorded', 'startup', 'shutdown') or found.time_ns > 0
order by categories.place
