-- What each rank computed since its last collective, at the enter of each call, and when that one let it go.
--
-- One row per call. released_ns is when the thread left its last collective; null before its first.
create or replace view computed_before as
select
    calls.collective_id,
    calls.rank,
    calls.enter_ns,
    before.leave_ns as released_ns,
    calls.computed_ns as computing_ns
from calls
left join calls as before on calls.prev_call_id = before.call_id;
