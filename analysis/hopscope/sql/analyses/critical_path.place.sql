-- Time on the run's critical path, by call site.
--
-- A place is the function and source line that called MPI; without debug information (`-g`), the nearest symbol or
-- module and offset. Computing counts for the MPI call that ended it. `unknown` is a call site that was not recorded.
--
-- grain by = place formerly call-site
-- key place
-- column place VARCHAR -- The place, as `function (file:line)`, `in` the function that it was inlined into.
-- column call_site VARCHAR -- The call sites in the trace, as module+offset or file:line.
-- columns of run_path_shares
-- narrow call_site, p2p_ns
-- uses run_path_shares, run_path
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by place
with sites as (
    select
        place,
        string_agg(distinct call_site, ', ' order by call_site) as call_site
    from run_path
    group by place
)

select
    shares.key as place,
    sites.call_site,
    shares.time_ns,
    shares.share,
    shares.share_low,
    shares.share_high,
    shares.share_of_run,
    shares.compute_ns,
    shares.hops_ns,
    shares.p2p_ns
from run_path_shares(coalesce(place, unknown_place())) as shares
left join sites on shares.key = sites.place
order by shares.time_ns desc, shares.key asc
