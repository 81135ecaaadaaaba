-- Time on the run's critical path, by the rank that it was on.
--
-- A hop counts for its receiver. A rank with a lot of computing here makes the others wait; a rank that is late but not
-- on the path costs nothing. The path itself is explained in `analyze critical-path --help`.
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
