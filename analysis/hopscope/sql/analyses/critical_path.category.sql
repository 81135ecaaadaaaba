-- Time on the run's critical path, by category.
--
-- The critical path is the chain of work and messages that decided how long the run took. Each nanosecond of it falls
-- into one category:
--
-- compute     outside all MPI
-- local       work inside collectives on one rank
-- shm         hops between ranks of one host
-- lan         hops between hosts of one cluster
-- wan         hops between clusters
-- native      collectives of the MPI library with no hops known
-- p2p         the program's own messages and the waits for them
-- mpi         other MPI functions
-- rma         windows: epochs and one-sided transfers
-- io          files
-- overhead    the collector's own time
-- unrecorded  the program had stopped the recording
--
-- Start-up and shutdown are left out unless `--from` or `--to` reaches into them; then they are `startup` and
-- `shutdown`.
--
-- grain by = category default
-- key category
-- column category VARCHAR -- The category; the first eleven are always listed.
-- columns of run_path_shares: time_ns, share, share_low, share_high, share_of_run
-- uses run_path_shares
-- bar share
-- example analyze critical-path trace --fail-if "compute.share < 50%"
with categories as (
    select
        category,
        ordinality as place
    from
        unnest(path_categories()) with ordinality as category_list (category, ordinality)
),

path_shares as materialized (
    select * from run_path_shares(category)
),

-- If there is a path, a category that is not on it has the share 0. Without a path the share is unknown.
absent as (
    select
        case when count(*) > 0 then 0 end as share,
        case when count(path_shares.share_low) > 0 then 0 end as bound
    from path_shares
)

select
    categories.category,
    coalesce(path_shares.time_ns, 0)::bigint as time_ns,
    coalesce(path_shares.share, absent.share)::double as share,
    coalesce(path_shares.share_low, absent.bound)::double as share_low,
    coalesce(path_shares.share_high, absent.bound)::double as share_high,
    coalesce(path_shares.share_of_run, absent.share)::double as share_of_run
from categories
cross join absent
left join path_shares on categories.category = path_shares.key
where categories.category not in ('unrecorded', 'startup', 'shutdown') or path_shares.time_ns > 0
order by categories.place
