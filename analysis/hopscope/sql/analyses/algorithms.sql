-- Which algorithms the collectives ran by, recognised from their messages.
--
-- The name comes from the messages: who sent how much to whom, and what each rank waited for before it sent. So it holds for the MPI library's own
-- messages, for other tools' hops and for Hopscope's engine. Every message must fit, or the algorithm is `unrecognised`. A number after a colon is the radix,
-- the children per rank or the number of chains; a word after it is the exchange between leaders of groups. `one + other` ran one after the other, such as a reduction and a broadcast.
-- On intercommunicators nothing is recognised.
--
-- Collectives are alike if operation, communicator, root, payload and all messages agree (of operations with parts of different lengths, the lengths may
-- differ; where every message carries the whole payload, payloads may). A kind is recognised when the trace is converted, by the order of up to 8 of the
-- first ones. Where several algorithms send the same messages in the same order, the first of a fixed order gives the name, and `same` lists the others. On
-- two ranks, where most coincide, order does not count.
--
-- Open MPI's own name of the algorithm (`captured`) is recorded with blocking collectives where it is known. It decides which of several algorithms that
-- send the same messages ran, and what ran where the messages fit none. Where it contradicts the messages, as when Open MPI's function passes a small payload
-- on to another one, `algorithm` is what the messages are, and `differs` says what they would have been.
--
-- What the user asked of the MPI library is taken from its settings as they were at the end of MPI_Init: Open MPI's MCA parameters of coll/tuned with its
-- rules file, and MPICH's variables of the form MPIR_CVAR_BCAST_INTRA_ALGORITHM. They hold for blocking collectives, not on intercommunicators. A collective obeys if the library's
-- name of what ran is that of the algorithm that was asked for, or, without that name, if its messages are those, whoever chose it; segment sizes are not compared.
--
-- Open MPI's `han` runs an operation by others inside hosts and between them. Where the settings ask for its simple form, `asked` lists these others with the
-- algorithm that is set for each on its number of ranks. The collective obeys if the messages of all of them are there, and no others but among ranks for which nothing is set.
--
-- param comm INTEGER = null -- Only collectives on this communicator.
-- param seq BIGINT = null -- Only collectives of this number on their communicator.
-- key op, comm, bytes, algorithm, segment_bytes, captured, source
-- column op VARCHAR -- The MPI operation.
-- column comm INTEGER -- The communicator.
-- column ranks INTEGER -- Its size.
-- column bytes BIGINT -- Payload, as in `analyze collectives`.
-- column algorithm VARCHAR -- The algorithm, or unrecognised.
-- column segment_bytes BIGINT -- Length of the segments that messages were cut into; 0 for whole messages.
-- column same VARCHAR -- Other algorithms that send the same messages; null if there are none.
-- column captured VARCHAR -- The MPI library's own name of the algorithm, such as recursivedoubling; null if it was not captured, or is not the same on all ranks.
-- column differs VARCHAR -- What the captured algorithm would have sent, where the messages are another's; null if they agree.
-- column collectives BIGINT -- How often it ran.
-- column depth INTEGER -- Messages in sequence on the longest chain; null if unrecognised.
-- column messages BIGINT -- Messages of one collective.
-- column message_bytes BIGINT -- Their bytes.
-- column wan_messages BIGINT -- How many of them went between clusters.
-- column crossings INTEGER -- Most messages between clusters in sequence; null if unrecognised.
-- column source VARCHAR -- Whose messages: tree (the engine's) or native (the MPI library's).
-- column ran VARCHAR -- What the trace itself says ran, such as the name of a tree; null if it says nothing.
-- column asked VARCHAR -- The algorithm that the user's settings ask for, in the library's words; null if they ask for none, or are unknown.
-- column obeyed VARCHAR -- Whether it ran: yes, no or undecided; null if none was asked for.
-- column why VARCHAR -- Why another one ran, where the settings show it, or why that cannot be told of `han`; else null.
-- column since_ns BIGINT [at] -- When the first collective that does not obey began; null if all do, or none was asked for.
-- column first VARCHAR -- The first of them, as COMM:SEQ.
-- narrow why, since_ns, ran, differs, message_bytes, same, source, wan_messages, segment_bytes
-- only-data ran
-- exact op, comm, ranks, bytes, algorithm, segment_bytes, same, captured, differs, collectives, depth, messages, message_bytes, wan_messages,
--    crossings, source, ran, asked, obeyed, why, first
-- uses algorithm_examples
-- then algorithms -- Compares what ran with what the settings ask for.
-- empty note there are no hops of a complete collective, so no algorithm can be recognised; `analyze caveats` says why
-- example analyze algorithms trace
-- example analyze algorithms trace --comm 0 --seq 17
with alike as materialized (
    select
        kinds.kind,
        kinds.op,
        kinds.comm,
        kinds.ranks,
        kinds.root,
        coalesce(kinds.bytes, collectives.bytes) as bytes,
        min(collectives.collective_id) as collective_id,
        min_by(collectives.seq, collectives.collective_id) as seq,
        min(collectives.first_enter_ns) as first_enter_ns,
        count(*) as collectives
    from collectives
    inner join kinds on collectives.kind = kinds.kind
    where
        ($comm::integer is null or collectives.comm = $comm::integer)
        and ($seq::bigint is null or collectives.seq = $seq::bigint)
    group by all
),

-- Only what `han` was asked for needs the messages.
asked_of_han as (  -- noqa: ST03
    select
        alike.collective_id,
        alike.comm
    from alike
    inner join run on contains(run.settings, 'coll_han_')
)

select
    alike.*,
    comms.second_group is not null as is_between_groups,
    kinds.source,
    kinds.ran,
    kinds.captured,
    kinds.algorithm,
    kinds.same,
    kinds.differs,
    coalesce(kinds.segment_bytes, 0) as segment_bytes,
    kinds.depth,
    kinds.crossings,
    kinds.messages,
    coalesce(kinds.message_bytes, kinds.messages * alike.bytes) as message_bytes,
    kinds.wan_messages,
    examples.src,
    examples.dst,
    examples.lengths,
    examples.sent_ns,
    examples.received_ns,
    examples.is_wan,
    examples.hosts,
    examples.clusters,
    run.settings,
    run.mpi_library
from alike
inner join kinds on alike.kind = kinds.kind
left join comms on alike.comm = comms.comm
left join algorithm_examples('asked_of_han') as examples on alike.collective_id = examples.collective_id
left join run on true
order by alike.collective_id
