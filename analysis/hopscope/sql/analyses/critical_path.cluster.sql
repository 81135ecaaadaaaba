-- Time on the run's critical path, by cluster.
--
-- A hop counts for the cluster of its receiver.
-- The path itself is explained in `analyze critical-path --help`.
--
-- grain by = cluster
-- key cluster
-- column cluster VARCHAR -- The cluster, as in the topology in use.
-- column time_ns BIGINT -- Time that the path spends there.
-- column share DOUBLE -- Part of the path's time.
-- column share_low DOUBLE [share] -- Lower end of the share's interval.
-- column share_high DOUBLE [share] -- Upper end of the share's interval.
-- column compute_ns BIGINT -- The part of time_ns that is computing, outside all MPI.
-- column hops_ns BIGINT -- The part of time_ns that is hops inside collectives.
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by cluster
select
    key as cluster,
    time_ns,
    share,
    share_low,
    share_high,
    compute_ns,
    hops_ns
from run_path_shares(cluster)
order by time_ns desc, key asc
