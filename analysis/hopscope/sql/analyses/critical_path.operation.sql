-- Time on the run's critical path, by MPI operation.
--
-- `computing` is the time outside all MPI. `analyze critical-path --help` explains the path.
--
-- grain by = operation
-- key operation
-- column operation VARCHAR -- The MPI function, or computing.
-- columns of run_path_shares
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by operation
select
    key as operation,
    * exclude (key)
from run_path_shares(coalesce(op, 'computing'))
order by time_ns desc, key asc
