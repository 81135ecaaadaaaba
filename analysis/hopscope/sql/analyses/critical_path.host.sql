-- Time on the run's critical path, by host.
--
-- A hop counts for the host of its receiver. `analyze critical-path --help` explains the path.
--
-- grain by = host
-- key host
-- column host VARCHAR -- The host, as in the topology.
-- columns of run_path_shares
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by host
select
    key as host,
    * exclude (key)
from run_path_shares(host)
order by time_ns desc, key asc
