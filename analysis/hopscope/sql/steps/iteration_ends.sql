-- The ends of each rank's iterations.
--
-- `iteration_marker` is the call that every iteration makes once. If it is a collective, a rank's iteration ends when
-- the rank enters the collective; else it ends for all ranks when the next iteration begins (`iteration_cuts`). One row
-- per rank and iteration, numbered from 0; collective_id is null if the marker is not a collective.
--
-- uses iteration_calls, iteration_cuts
create or replace view iteration_ends as
with marked as materialized (
    select
        collective_id,
        iteration
    from iteration_calls
)

select
    calls.rank,
    calls.collective_id,
    calls.enter_ns,
    marked.iteration
from marked
inner join calls on marked.collective_id = calls.collective_id

union all
select
    ranks.rank,
    null as collective_id,
    iteration_cuts.begin_ns as enter_ns,
    iteration_cuts.iteration - 1 as iteration
from iteration_cuts
cross join ranks
where
    iteration_cuts.iteration > 0
    and (select count(marked.collective_id) from marked) = 0;
