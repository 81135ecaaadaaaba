-- Which rank entered each collective last, by the clocks as they are.
--
-- One row per complete collective of at least two ranks. Of several equal enters the lowest rank's stands for all. Whether the clocks can tell is in
-- `last_enters`.
create or replace view latest_enters as
select
    collectives.collective_id,
    min(calls.rank) as rank,
    any_value(collectives.last_enter_ns) as enter_ns,
    any_value(collectives.comm_size) as comm_size
from collectives
inner join calls
    on collectives.collective_id = calls.collective_id and collectives.last_enter_ns = calls.enter_ns
where collectives.complete and collectives.comm_size > 1
group by collectives.collective_id;
