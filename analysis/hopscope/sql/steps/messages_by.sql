-- The application's messages by any label, with the waiting that they caused and their part of the run's critical path.
--
-- Give it the name of a table with one row per message and end that counts. It has the columns of `message_waits` and
-- four more: key; sent, true if the row represents the message itself; caused_ns, the waiting of others for the key;
-- and suffered_ns, the key's own waiting.
--
-- column messages BIGINT -- Messages sent.
-- column bytes BIGINT -- Payload of the messages.
-- column waiting_caused_ns BIGINT -- Waiting of others that the row causes.
-- column waiting_suffered_ns BIGINT -- The row's own waiting for others.
-- column late_senders BIGINT -- Messages whose receiver waited for a late send.
-- column late_receivers BIGINT -- Messages whose sender waited for a late receive.
-- column wrong_order BIGINT -- Messages among late_senders that were received in the wrong order.
-- column undecided BIGINT -- Messages of which it is unknown whether anybody waited; they count as not waited for.
-- column path_ns BIGINT -- Time of the messages on the run's critical path, with the transfer.
-- column path_share DOUBLE [share] -- path_ns as a share of the path.
-- column path_share_low DOUBLE [share] -- Lower end of its interval of 95 %; null off the path and below 13
--    collectives.
-- column path_share_high DOUBLE [share] -- Upper end of its interval.
-- uses message_waits, run_path, share_of, path_intervals
create or replace macro messages_by(labelled) as table
    with labelled_messages as (
        select * replace (if(sent, block, null) as block)
        from query_table(labelled)
    ),

    per_block as materialized (
        select
            key,
            block,
            count(*) filter (where sent) as messages,
            sum(bytes) filter (where sent) as bytes,
            sum(caused_ns) as caused_ns,
            sum(suffered_ns) as suffered_ns,
            count(*) filter (where late_sender) as late_senders,
            count(*) filter (where late_receiver) as late_receivers,
            count(*) filter (where wrong_order) as wrong_order,
            count(*) filter (where sent and binding = 'undecided') as undecided,
            sum(path_ns) filter (where sent) as path_ns
        from labelled_messages
        group by key, block
    ),

    totals as (
        select
            key,
            sum(messages) as messages,
            sum(bytes) as bytes,
            sum(caused_ns) as caused_ns,
            sum(suffered_ns) as suffered_ns,
            sum(late_senders) as late_senders,
            sum(late_receivers) as late_receivers,
            sum(wrong_order) as wrong_order,
            sum(undecided) as undecided,
            sum(path_ns) as path_ns
        from per_block
        group by key
    ),

    on_path as (  -- noqa: ST03
        select
            key,
            block,
            path_ns as part
        from per_block
        where path_ns > 0
    )

    select
        totals.key,
        totals.messages::bigint as messages,
        coalesce(totals.bytes, 0)::bigint as bytes,
        totals.caused_ns::bigint as waiting_caused_ns,
        totals.suffered_ns::bigint as waiting_suffered_ns,
        totals.late_senders::bigint as late_senders,
        totals.late_receivers::bigint as late_receivers,
        totals.wrong_order::bigint as wrong_order,
        totals.undecided::bigint as undecided,
        coalesce(totals.path_ns, 0)::bigint as path_ns,
        share_of(coalesce(totals.path_ns, 0), (select sum(run_path.time_ns) from run_path))::double as path_share,
        intervals.share_low as path_share_low,
        intervals.share_high as path_share_high
    from totals
    left join path_intervals('on_path') as intervals on totals.key = intervals.key;
