-- The complete collectives with hops, by kind: those of one kind are alike but for their times.
--
-- Of all communicators and numbers, or of one (null stands for all). Collectives are of one kind if operation, communicator, root, payload and all messages
-- agree, and the library's own name of what ran; of operations with parts of different lengths, the lengths may differ. A kind has the number of its first collective; nth counts the others in order.
--
-- uses varying_blocks
create or replace macro algorithm_kinds(only_comm, only_seq) as table
    with chosen as (
        select
            collective_id,
            comm,
            seq,
            op,
            root,
            comm_size,
            bytes,
            first_enter_ns,
            varying_blocks(op) as varying
        from collectives
        where
            complete
            and (only_comm is null or comm = only_comm)
            and (only_seq is null or seq = only_seq)
    ),

    -- The sum of hashes does not depend on the order of the hops.
    shaped as (
        select
            hops.collective_id,
            min(hops.source) as source,
            count(*) as messages,
            sum(hops.bytes)::bigint as message_bytes,
            count(*) filter (where hops.link = 'wan') as wan_messages,
            sum(hash(hops.src, hops.dst, case when chosen.varying then 0 else hops.bytes end)) as signature
        from hops
        inner join chosen on hops.collective_id = chosen.collective_id
        group by hops.collective_id
    ),

    -- Ranks without a message have no name.
    names as (
        select
            calls.collective_id,
            any_value(calls.tree) as ran,
            case when min(calls.algorithm) = max(calls.algorithm) then min(calls.algorithm) end as captured
        from calls
        inner join chosen on calls.collective_id = chosen.collective_id
        group by calls.collective_id
    ),

    placed as (
        select
            chosen.*,
            names.ran,
            names.captured,
            shaped.source,
            shaped.messages,
            shaped.message_bytes,
            shaped.wan_messages,
            min(chosen.collective_id) over kind as kind,
            count(*) over kind as collectives,
            row_number() over (kind order by chosen.collective_id) - 1 as nth
        from chosen
        inner join shaped on chosen.collective_id = shaped.collective_id
        left join names on chosen.collective_id = names.collective_id
        window
            kind as (
                partition by
                    chosen.op,
                    chosen.comm,
                    chosen.root,
                    case when not chosen.varying then chosen.bytes end,
                    shaped.source,
                    shaped.messages,
                    shaped.signature,
                    names.captured
            )
    )

    select *
    from placed;
