-- Time on the run's critical path, by rank.
--
-- A hop counts for its receiver. A rank that is late but not on the path costs nothing. `analyze critical-path
-- --help` explains the path.
--
-- grain by = rank
-- key rank
-- column rank INTEGER -- The rank.
-- columns of run_path_shares
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by rank
select
    key as rank,
    * exclude (key)
from run_path_shares(rank)
order by time_ns desc, key asc
