-- Time on the run's critical path, by the rank that it was on.
--
-- A hop counts for its receiver. A rank with much computing here makes the others wait; one that is late without being here costs nothing.
-- The path itself is explained in `analyze critical-path --help`.
--
-- grain by = rank
-- key rank
-- column rank INTEGER -- The rank.
-- column time_ns BIGINT -- Time that the path spends there.
-- column share DOUBLE -- Part of the path's time.
-- column share_low DOUBLE [share] -- Lower end of the share's interval.
-- column share_high DOUBLE [share] -- Upper end of the share's interval.
-- column compute_ns BIGINT -- The part of time_ns that is computing, outside all MPI.
-- column hops_ns BIGINT -- The part of time_ns that is hops inside collectives.
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by rank
select
    key as rank,
    time_ns,
    share,
    share_low,
    share_high,
    compute_ns,
    hops_ns
from run_path_shares(rank)
order by time_ns desc, key asc
