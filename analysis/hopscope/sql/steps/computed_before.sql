-- What each rank computed since its last collective, at the enter of each call, and what the others did.
--
-- One row per call. usual_ns is the median over the members of the same collective; released_ns is when the rank left its last collective.
create or replace view computed_before as
select
    collective_id,
    rank,
    enter_ns,
    lag(leave_ns) over (partition by rank order by enter_ns, call_id) as released_ns,
    computed_ns as computing_ns,
    median(computed_ns) over (partition by collective_id) as usual_ns
from calls;
