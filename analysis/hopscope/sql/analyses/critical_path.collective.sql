-- Critical path of one collective, step by step.
--
-- Each row is a stretch of time on a rank, or a hop. Times add up to the path's length. `local` is time for combining
-- data and for software on the rank; `native` means that no hops are known.
--
-- grain collective given
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key step
-- column step BIGINT -- Position of the stretch on the path, from 0.
-- column begin_ns BIGINT [at] -- Begin.
-- column end_ns BIGINT [at] -- End.
-- column time_ns BIGINT -- Length of the stretch.
-- column rank INTEGER -- The rank; for a hop, the receiver.
-- column category VARCHAR -- Category of the stretch, as in `analyze critical-path`.
-- column src INTEGER -- Sender and receiver of the hop; else null.
-- column dst INTEGER -- Sender and receiver of the hop; else null.
-- column hop_id BIGINT -- Number of the hop; else null.
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
