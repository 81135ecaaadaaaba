-- Obstacles to a replay on an ideal network: one row with a sentence for each, and no row if there is none.
--
-- Each obstacle means that ranks waited for events that the trace does not show. A replay would count these waits as
-- time of the network.
--
-- uses operation_kind, members
create or replace view replay_obstacles as
with threads as (
    select
        rank,
        count(distinct location) as locations
    from (
        select
            rank,
            location
        from calls
        union all
        select
            rank,
            location
        from intervals
        where kind in ('p2p', 'wait', 'mixed')
    ) as communicating
    group by rank
)

select 'the program''s own messages were not recorded' as obstacle
from run
where record = 'collectives'

union all
select 'collectives are incomplete in the trace' as obstacle
from collectives
having count(*) filter (where not complete) > 0

union all
select 'ranks did not come to MPI_Finalize' as obstacle
from ranks
having count(*) filter (where not complete) > 0

union all
select 'recording was off at times' as obstacle
from intervals
having count(*) filter (where kind = 'off') > 0

union all
select 'the trace does not show what nonblocking and persistent collectives waited for' as obstacle
from collectives
having count(*) filter (where regexp_matches(op, '^MPI_(I|.*_init)')) > 0

union all
select 'whom neighbourhood collectives wait for is not known' as obstacle
from collectives
having count(*) filter (where coalesce(operation_kind(op), 'neighbours') = 'neighbours') > 0

union all
select 'collectives ran between two groups of ranks' as obstacle
from collectives
inner join comms on collectives.comm = comms.comm
having count(*) filter (where comms.second_group is not null) > 0

union all
select 'several threads of a rank communicate' as obstacle
from threads
having count(*) filter (where locations > 1) > 0;
