-- The local work inside one collective: every combine and copy, rank by rank.
--
-- Only collectives that Hopscope's engine ran have rows. On a critical path, these are the stretches `local`.
--
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key step_id
-- column step_id BIGINT -- Number of the step.
-- column rank INTEGER -- The rank.
-- column kind VARCHAR -- combine, copy or overhead.
-- column bytes BIGINT -- Bytes combined or copied; null if unknown.
-- column begin_ns BIGINT [at] -- Begin of the step.
-- column end_ns BIGINT [at] -- End of the step.
-- column time_ns BIGINT -- Length of the step.
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
