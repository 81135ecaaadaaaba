-- Each collective with the place in the program that called it, to align two runs by.
--
-- Members may call from different places; the smallest call site stands for all, or `unknown` where the collector saw none.
create or replace view collective_sites as
select
    collectives.collective_id,
    collectives.comm,
    collectives.op,
    collectives.comm_size,
    collectives.bytes,
    collectives.first_enter_ns,
    collectives.last_enter_ns,
    collectives.last_leave_ns,
    collectives.complete,
    coalesce(min(calls.call_site), unknown_place()) as call_site
from collectives
left join calls on collectives.collective_id = calls.collective_id
group by all;
