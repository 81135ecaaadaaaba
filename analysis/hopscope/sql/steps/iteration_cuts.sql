-- The times at which the iterations of the run begin and the last one ends.
--
-- One row for each beginning, numbered from 0, and one more for the end of the last. Where the marker
-- (`iteration_calls`) is a collective, an iteration ends when the last rank leaves it, and the first iteration begins
-- with the communication. Otherwise an iteration begins when the first rank's first thread makes the call. Ranks drift
-- apart while they do not wait for one another, so a cut is exact only after a collective in which all wait.
--
-- uses iteration_calls, run_bounds
create or replace view iteration_cuts as
with marked as materialized (
    select * from iteration_calls
),

turns as (
    select count(*) as number
    from marked
    having count(*) > 0
)

select
    marked.iteration + 1 as iteration,
    coalesce(collectives.last_leave_ns, collectives.last_enter_ns) as begin_ns
from marked
inner join whole_collectives as collectives on marked.collective_id = collectives.collective_id

union all
select
    0 as iteration,
    least(
        run_bounds.first_ns,
        (
            select min(coalesce(collectives.last_leave_ns, collectives.last_enter_ns))
            from marked
            inner join whole_collectives as collectives on marked.collective_id = collectives.collective_id
        )
    ) as begin_ns
from run_bounds
where (select count(marked.collective_id) from marked) > 0

union all
select
    iteration,
    begin_ns
from marked
where collective_id is null

union all
select
    turns.number as iteration,
    run_bounds.last_ns as begin_ns
from run_bounds
cross join turns
where (select count(marked.collective_id) from marked) = 0;
