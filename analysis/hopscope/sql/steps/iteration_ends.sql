-- Where each rank's iterations end: at the collective that the run repeats most.
--
-- A trace does not know the program's loop. The collective (communicator, operation, call site) with the most calls over all ranks stands for it: each
-- execution ends one iteration. One row per rank and iteration, numbered from 0. Of several equally frequent ones the earliest is taken.
create or replace view iteration_ends as
with candidates as (
    select
        collectives.comm,
        collectives.op,
        calls.call_site,
        count(*) as times,
        min(calls.collective_id) as first_id
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    where collectives.comm_size > 1
    group by collectives.comm, collectives.op, calls.call_site
),

marker as (
    select * from candidates
    order by times desc, first_id asc, call_site asc
    limit 1
),

ends as (
    select
        calls.rank,
        calls.collective_id,
        calls.enter_ns
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    inner join marker
        on
            collectives.comm = marker.comm
            and collectives.op = marker.op
            and calls.call_site is not distinct from marker.call_site
),

numbered as (
    select
        collective_id,
        row_number() over (order by collective_id) - 1 as iteration
    from (select distinct ends.collective_id from ends) as repeated
)

select
    ends.rank,
    ends.collective_id,
    ends.enter_ns,
    numbered.iteration
from ends
inner join numbered on ends.collective_id = numbered.collective_id;
