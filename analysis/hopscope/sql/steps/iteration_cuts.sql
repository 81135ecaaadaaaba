-- When each iteration of the run begins, and when the last one ends.
--
-- One row for each beginning, numbered from 0, and one more for the end of the last. Where the marker (`iteration_marker`) is a collective, an iteration ends
-- when the last rank leaves it, and the first one begins with the communication; else an iteration begins when the first rank's first thread makes the call.
-- Ranks run apart by what nobody waits for, so a moment cuts exactly only after a collective that holds all.
--
-- uses iteration_calls, iteration_marker, run_bounds
create or replace view iteration_cuts as
select
    iteration_calls.iteration + 1 as iteration,
    coalesce(collectives.last_leave_ns, collectives.last_enter_ns) as begin_ns
from iteration_calls
inner join whole_collectives as collectives on iteration_calls.collective_id = collectives.collective_id

union all
select
    0 as iteration,
    first_ns as begin_ns
from run_bounds
where (select count(iteration_calls.collective_id) from iteration_calls) > 0

union all
select
    iteration,
    begin_ns
from iteration_calls
where collective_id is null

union all
select
    iteration_marker.turns as iteration,
    run_bounds.last_ns as begin_ns
from run_bounds
cross join iteration_marker
where (select count(iteration_calls.collective_id) from iteration_calls) = 0;
