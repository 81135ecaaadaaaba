-- The calls for which a tree was asked and could not serve, by operation and reason.
--
-- reason is what the archive says behind `native:`.
create or replace view calls_gone_native as
select
    collectives.op,
    substr(calls.engine, 8) as reason,
    count(*) as calls
from calls
inner join collectives on calls.collective_id = collectives.collective_id
where calls.engine like 'native:%'
group by collectives.op, calls.engine;
