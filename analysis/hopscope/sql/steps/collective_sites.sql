-- Each collective with the place in the program that called it, by which two runs are aligned.
--
-- Members may call from different places. The smallest call site represents them all, or `unknown` if the collector
-- recorded none. `place` is its place in the source. If that is unknown, `place` is the call site itself and `function`
-- is null.
create or replace view collective_sites as
with called as (
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
    group by all
)

select
    called.*,
    coalesce(places.place, called.call_site) as place,
    places.function
from called
left join places on called.call_site = places.call_site;
