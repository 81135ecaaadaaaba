-- Time on the run's critical path, by the place in the program.
--
-- Computing counts for the MPI call that ended it: it is the work that leads there. Call sites are what the collector recorded; `unknown` where it could not.
-- The path itself is explained in `analyze critical-path --help`.
--
-- grain by = call-site
-- key call_site
-- column call_site VARCHAR -- Where the MPI function was called from, as module+offset or file:line.
-- column time_ns BIGINT -- Time that the path spends there.
-- column share DOUBLE -- Part of the path's time.
-- column share_low DOUBLE [share] -- Lower end of the share's interval.
-- column share_high DOUBLE [share] -- Upper end of the share's interval.
-- column compute_ns BIGINT -- The part of time_ns that is computing, outside all MPI.
-- column hops_ns BIGINT -- The part of time_ns that is hops inside collectives.
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by call-site
select
    key as call_site,
    time_ns,
    share,
    share_low,
    share_high,
    compute_ns,
    hops_ns
from run_path_shares(coalesce(call_site, 'unknown'))
order by time_ns desc, key asc
