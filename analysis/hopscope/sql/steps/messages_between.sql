-- The application's messages by pair of hosts, or of clusters, between which they go.
--
-- Give it an expression over the columns of `ranks`, such as host. Its values name the sender and the receiver.
--
-- uses messages_by, message_waits
create or replace macro messages_between(label) as table
    with labels as (
        select
            rank,
            label as name
        from ranks
    ),

    labelled as (  -- noqa: ST03
        select
            message_waits.*,
            { 'src': sender.name, 'dst': receiver.name } as key,
            true as sent,
            message_waits.receiver_waited_ns as caused_ns,
            message_waits.sender_waited_ns as suffered_ns
        from message_waits
        inner join labels as sender on message_waits.src = sender.rank
        inner join labels as receiver on message_waits.dst = receiver.rank
    )

    select
        key.src || '->' || key.dst as pair,
        key.src as sender,
        key.dst as receiver,
        * exclude (key)
    from messages_by('labelled');
