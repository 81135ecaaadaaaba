-- Time on the run's critical path, by the place in the program.
--
-- Computing counts for the MPI call that ended it, because it is the work that leads there. The collector records call
-- sites; `unknown` stands for those that it could not record. The path itself is explained in `analyze critical-path
-- --help`.
--
-- grain by = call-site
-- key call_site
-- column call_site VARCHAR -- Where the MPI function was called from, as module+offset or file:line.
-- columns of run_path_shares
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by call-site
select
    key as call_site,
    * exclude (key)
from run_path_shares(coalesce(call_site, 'unknown'))
order by time_ns desc, key asc
