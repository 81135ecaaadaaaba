-- The local work inside one collective: every combine and copy, rank by rank.
--
-- Between its hops a rank combines operands, copies, or records; on a critical path, these are the stretches called
-- `local`. Only collectives that Hopscope's own engine executed have them.
--
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key step_id
-- column step_id BIGINT -- Number of the step in the table steps.
-- column rank INTEGER -- Rank that did it.
-- column kind VARCHAR -- combine, copy or overhead.
-- column bytes BIGINT -- Bytes combined or copied; null if unknown.
-- column begin_ns BIGINT [at] -- Begin, since the start of the trace.
-- column end_ns BIGINT [at] -- End.
-- column time_ns BIGINT -- How long it took.
-- empty note no local work of that collective is known
-- example analyze collective-steps trace --collective 0:17
select
    steps.step_id,
    steps.rank,
    steps.kind,
    steps.bytes,
    steps.begin_ns,
    steps.end_ns,
    steps.end_ns - steps.begin_ns as time_ns
from steps
inner join collectives on steps.collective_id = collectives.collective_id
where
    collectives.comm = split_part($collective, ':', 1)::integer
    and collectives.seq = split_part($collective, ':', 2)::bigint
order by steps.rank, steps.begin_ns, steps.step_id
