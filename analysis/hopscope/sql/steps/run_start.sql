-- The time at which the last of the ranks with which the job began has left its first MPI_Init.
--
-- A rank that communicates earlier waits for a rank that is still starting. Ranks of spawned worlds start later and do
-- not count. One row; null if the trace has no MPI_Init.
create or replace view run_start as
select max(started_ns) as at_ns
from (
    select min(intervals.end_ns) as started_ns
    from whole_intervals as intervals
    inner join ranks on intervals.rank = ranks.rank
    where
        intervals.kind = 'init'
        and ranks.world = (select min(worlds.world) from ranks as worlds)
    group by intervals.rank
) as starts;
