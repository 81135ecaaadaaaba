-- Engine of the collectives, and why: Hopscope's or the MPI library.
--
-- `tree` is Hopscope's engine, `native` the MPI library. If a tree was requested but could not run, the reason is
-- here.
--
-- grain by = engine
-- key operation, engine
-- column operation VARCHAR -- The MPI function.
-- column engine VARCHAR -- tree, or native.
-- column tree VARCHAR -- Name of the tree that ran; null for native.
-- column reason VARCHAR -- Why a requested tree did not run; else null.
-- column calls BIGINT -- Calls of all ranks.
-- column collectives BIGINT -- Collectives.
-- exact calls, collectives
-- empty note there are no collectives
-- example analyze summary trace --by engine
select
    collectives.op as operation,
    split_part(calls.engine, ':', 1) as engine,
    calls.tree,
    nullif(substr(calls.engine, 8), '') as reason,
    count(*) as calls,
    count(distinct calls.collective_id) as collectives
from calls
inner join collectives on calls.collective_id = collectives.collective_id
group by collectives.op, calls.engine, calls.tree
order by calls desc, operation asc, calls.engine asc, calls.tree asc
