-- Every call of an MPI function, collective or not, with its rank, call site, begin and end.
--
-- One row per call, also of those inside another MPI call. operation is the function. A call that did not end lasts
-- until the last event of its rank. collective_id is null except for collectives.
create or replace view mpi_calls as
select
    calls.rank,
    calls.location,
    collectives.op as operation,
    calls.call_site,
    calls.collective_id,
    calls.enter_ns as begin_ns,
    coalesce(calls.leave_ns, ranks.last_event_ns) as end_ns
from calls
inner join collectives on calls.collective_id = collectives.collective_id
inner join ranks on calls.rank = ranks.rank
union all
select
    intervals.rank,
    intervals.location,
    intervals.region as operation,
    intervals.call_site,
    null as collective_id,
    intervals.begin_ns,
    coalesce(intervals.end_ns, ranks.last_event_ns) as end_ns
from intervals
inner join ranks on intervals.rank = ranks.rank
where intervals.kind not in ('region', 'overhead', 'off', 'idle', 'join', 'tool');
