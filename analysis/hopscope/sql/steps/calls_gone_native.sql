-- The number of calls that have a reason why the MPI library ran them or why its messages are unknown, by reason.
--
-- One row per operation and reason. reason is the text after `native:` in the archive.
create or replace view calls_gone_native as
select
    collectives.op,
    substr(calls.engine, 8) as reason,
    count(*) as calls
from calls
inner join collectives on calls.collective_id = collectives.collective_id
where calls.engine like 'native:%'
group by collectives.op, calls.engine;
