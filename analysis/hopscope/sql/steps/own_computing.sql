-- Each rank's computing towards each of its collectives, and the time when it was ready.
--
-- Computing between the start of a nonblocking collective and the wait for it belongs to that collective if the others
-- waited until a rank began its wait (`reached_ends`). It never belongs to the next collective. at_ns and message_ns
-- are those of `reached_ends`; null if the collective has no row there.
--
-- uses reached_ends
create or replace view own_computing as
with overlapping as (
    select
        call_id,
        overlap_ns
    from calls
    where overlap_ns > 0
)

select
    calls.collective_id,
    calls.rank,
    calls.released_ns,
    calls.prev_call_id,
    reached_ends.at_ns,
    reached_ends.message_ns,
    coalesce(calls.wait_begin_ns, calls.enter_ns) as ready_ns,
    if(reached_ends.is_wait, coalesce(calls.wait_begin_ns, calls.enter_ns), calls.enter_ns) as came_ns,
    greatest(calls.computed_ns - coalesce(overlapping.overlap_ns, 0), 0)
    + if(reached_ends.is_wait, coalesce(calls.overlap_ns, 0), 0) as computed_ns
from calls
left join reached_ends on calls.collective_id = reached_ends.collective_id
left join overlapping on calls.prev_call_id = overlapping.call_id;
