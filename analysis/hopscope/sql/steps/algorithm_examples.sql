-- Examples of each kind of collective, with all messages and the places of the ranks: what an algorithm is recognised from.
--
-- Give it the name of a table with rows of `algorithm_kinds`. Up to 8 of a kind, spread over the run. Ranks are those of the communicator.
--
-- uses members
create or replace macro algorithm_examples(kinds) as table
    with examined as (
        select *
        from query_table(kinds)
        where nth % ceil(collectives / 8)::bigint = 0
    ),

    seen as (
        select
            hops.collective_id,
            list(senders.comm_rank order by hops.hop_id) as src,
            list(receivers.comm_rank order by hops.hop_id) as dst,
            list(hops.bytes order by hops.hop_id) as lengths,
            list(hops.send_begin_ns order by hops.hop_id) as sent_ns,
            list(hops.recv_end_ns order by hops.hop_id) as received_ns,
            list(hops.link = 'wan' order by hops.hop_id) as is_wan
        from hops
        inner join examined on hops.collective_id = examined.collective_id
        inner join members as senders on examined.comm = senders.comm and hops.src = senders.rank
        inner join members as receivers on examined.comm = receivers.comm and hops.dst = receivers.rank
        group by hops.collective_id
    ),

    places as (
        select
            members.comm,
            list(ranks.host order by members.comm_rank) as hosts,
            list(ranks.cluster order by members.comm_rank) as clusters
        from members
        inner join ranks on members.rank = ranks.rank
        where members.comm in (select examined.comm from examined)
        group by members.comm
    )

    select
        examined.collective_id,
        examined.kind,
        examined.op,
        examined.comm,
        examined.seq,
        examined.root,
        examined.comm_size as ranks,
        comms.second_group,
        examined.bytes,
        examined.source,
        examined.ran,
        examined.captured,
        examined.first_enter_ns,
        examined.collectives,
        examined.messages,
        examined.message_bytes,
        examined.wan_messages,
        seen.src,
        seen.dst,
        seen.lengths,
        seen.sent_ns,
        seen.received_ns,
        seen.is_wan,
        places.hosts,
        places.clusters
    from examined
    inner join seen on examined.collective_id = seen.collective_id
    left join places on examined.comm = places.comm
    left join comms on examined.comm = comms.comm;
