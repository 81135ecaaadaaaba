-- Time on the run's critical path, by cluster.
--
-- A hop counts for the cluster of its receiver. `analyze critical-path --help` explains the path.
--
-- grain by = cluster
-- key cluster
-- column cluster VARCHAR -- The cluster, as in the topology.
-- columns of run_path_shares
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by cluster
select
    key as cluster,
    * exclude (key)
from run_path_shares(cluster)
order by time_ns desc, key asc
