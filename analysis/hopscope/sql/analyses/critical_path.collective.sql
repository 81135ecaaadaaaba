-- The critical path of one collective, step by step in time order.
--
-- The path leads from the enter of the rank where it starts to the last leave. Each row is a stretch: the rank that the
-- path was on, or the hop that it ran over. The times of the rows add up to the path's length. A stretch `local` is
-- combining, serialisation and software on that rank; `native` means that the MPI library ran the collective and no
-- hops are known.
--
-- grain collective given
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key step
-- column step BIGINT -- Position on the path, from 0.
-- column begin_ns BIGINT [at] -- Begin, since the start of the trace.
-- column end_ns BIGINT [at] -- End.
-- column time_ns BIGINT -- Its length.
-- column rank INTEGER -- Rank that the path is on; for a hop, its receiver.
-- column category VARCHAR -- Category of the time.
-- column src INTEGER -- Sender of the hop; null for other stretches.
-- column dst INTEGER -- Receiver of the hop; null for other stretches.
-- column hop_id BIGINT -- The hop in the table hops; null for other stretches.
-- column what VARCHAR -- The stretch in words.
-- narrow hop_id, end_ns, begin_ns
-- uses quantity
-- bar time_ns
-- empty error there is no critical path of that collective; `analyze collectives` lists those that the trace has
-- example analyze critical-path trace --collective 0:17
select
    stretches.step,
    stretches.begin_ns,
    stretches.end_ns,
    stretches.end_ns - stretches.begin_ns as time_ns,
    stretches.rank,
    stretches.category,
    stretches.src,
    stretches.dst,
    stretches.hop_id,
    case
        when stretches.hop_id is not null
            then concat_ws(' ', hops.role, format('hop of {} over {}', quantity(hops.bytes, 'bytes'), hops.link))
        when stretches.category = 'local' then 'work inside ' || collectives.op
        when stretches.category = 'native' then 'the MPI library runs ' || collectives.op
        else stretches.category
    end as what
from path_stretches as stretches
inner join collectives on stretches.path_collective_id = collectives.collective_id
left join hops on stretches.hop_id = hops.hop_id
where
    stretches.path = 'collective'
    and collectives.comm = split_part($collective, ':', 1)::integer
    and collectives.seq = split_part($collective, ':', 2)::bigint
order by stretches.step
