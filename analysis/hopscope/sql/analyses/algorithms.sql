-- Algorithms that the collectives used, recognised from their messages.
--
-- If the messages fit no known algorithm, it is `unrecognised`. A number after a colon is the radix, the children per
-- rank or the number of chains; a word is the exchange between leaders. `one + other` means that both ran, one after
-- the other. A row holds all collectives with equal operation, communicator, root, payload and messages.
-- Intercommunicators are left out.
--
-- `obeyed` compares a blocking collective's algorithm with the settings at the end of MPI_Init: Open MPI's parameters
-- of coll/tuned with its rules file, or MPICH's variables. For `han`, `asked` lists the algorithms inside hosts and
-- between them.
--
-- param comm INTEGER = null -- Only collectives on this communicator.
-- param seq BIGINT = null -- Only collectives of this number on their communicator.
-- key op, comm, bytes, algorithm, segment_bytes, captured, source
-- column op VARCHAR -- The MPI function.
-- column comm INTEGER -- The communicator.
-- column ranks INTEGER -- Ranks of the communicator.
-- column bytes BIGINT -- Payload, as in `analyze collectives`.
-- column algorithm VARCHAR -- The algorithm, or unrecognised.
-- column segment_bytes BIGINT -- Segment size; 0 for whole messages.
-- column same VARCHAR -- Other algorithms with the same messages; null if none.
-- column captured VARCHAR -- The MPI library's own name of the algorithm; null if unknown or not alike on all ranks.
-- column differs VARCHAR -- Messages that the captured algorithm would have sent instead; null if they agree.
-- column collectives BIGINT -- Number of collectives.
-- column depth INTEGER -- Messages in sequence; null if unrecognised.
-- column messages BIGINT -- Messages of one collective.
-- column message_bytes BIGINT -- Bytes of all messages of one collective.
-- column wan_messages BIGINT -- Messages of one collective between clusters.
-- column crossings INTEGER -- Messages between clusters in sequence; null if unrecognised.
-- column source VARCHAR -- tree (the engine's messages) or native (the MPI library's).
-- column ran VARCHAR -- Name that the trace has for what ran, such as a tree's; null if none.
-- column asked VARCHAR -- Algorithm that the settings ask for; null if none or unknown.
-- column obeyed VARCHAR -- yes, no or undecided; null if none was asked for.
-- column why VARCHAR -- Why another algorithm ran, or why it is undecided; else null.
-- column since_ns BIGINT [at] -- Begin of the first collective that does not obey; else null.
-- column first VARCHAR -- First collective that does not obey, as COMM:SEQ; else the row's first one.
-- narrow why, since_ns, ran, differs, message_bytes, same, source, wan_messages, segment_bytes
-- only-data ran
-- exact op, comm, ranks, bytes, algorithm, segment_bytes, same, captured, differs, collectives, depth, messages, message_bytes, wan_messages,
--    crossings, source, ran, asked, obeyed, why, first
-- uses algorithm_examples
-- then explain.algorithms -- Compares what ran with what the settings ask for.
-- empty note there are no hops of a complete collective, so no algorithm can be recognised; `analyze trust` says why
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

-- Only the check of `han`'s settings needs the messages.
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
