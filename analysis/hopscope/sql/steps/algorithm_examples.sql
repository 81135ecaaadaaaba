-- The messages of some collectives and the hosts of their ranks, to check if they obey the settings of Open MPI's `han`.
--
-- Give it the name of a table with collective_id and comm. Ranks are those of the communicator.
--
-- uses members
create or replace macro algorithm_examples(selection) as table
    with examined as (
        select distinct
            collective_id,
            comm
        from query_table(selection)
    ),

    message_lists as (
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
        message_lists.src,
        message_lists.dst,
        message_lists.lengths,
        message_lists.sent_ns,
        message_lists.received_ns,
        message_lists.is_wan,
        places.hosts,
        places.clusters
    from examined
    inner join message_lists on examined.collective_id = message_lists.collective_id
    left join places on examined.comm = places.comm;
