-- How long each rank is in the trace.
--
-- From its first event to its last; the sum over all ranks is what shares of rank time refer to.
create or replace view rank_times as
select
    rank,
    coalesce(last_event_ns - first_event_ns, 0) as time_ns
from ranks;
