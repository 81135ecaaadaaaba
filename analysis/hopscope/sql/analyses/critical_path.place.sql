-- Time on the run's critical path, by the place in the program.
--
-- A place is the function and source line that called MPI, from the debug information of the build that ran; without it
-- (compile with -g), the nearest symbol, or module and offset. A call through mpi4py has its line of Python. Computing
-- counts for the MPI call that ended it, because it is the work that leads there. `unknown` stands for call sites that
-- the collector could not record. The path itself is explained in `analyze critical-path --help`.
--
-- grain by = place formerly call-site
-- key place
-- column place VARCHAR -- Where the MPI function was called from: `function (file:line)`, with `in` and the function
--    around it where the compiler put it into another one.
-- column call_site VARCHAR -- As the trace has it, module+offset or file:line; several if they have one place.
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
