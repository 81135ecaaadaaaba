-- The application's messages by place in the program, for `messages_by`: sent there, waited for there, or late there.
--
-- A message counts for the place that sent it. Waiting is caused at the place that sent late or posted its receive
-- late, and suffered at the place of the call that waited, so both have the same sum. In a part of the run, only what
-- happened on its ranks and at its places counts.
--
-- uses message_waits, calls_at
create or replace view messages_at_places as
with waits as materialized (
    select * from message_waits
),

ends as (  -- noqa: ST03
    select
        *,
        src as rank,
        src_location as location,
        send_begin_ns as at_ns,
        true as sent,
        receiver_waited_ns as caused_ns,
        0 as suffered_ns
    from waits

    union all by name
    select
        *,
        dst as rank,
        dst_location as location,
        recv_post_ns as at_ns,
        false as sent,
        sender_waited_ns as caused_ns,
        0 as suffered_ns
    from waits
    where late_receiver

    union all by name
    select
        *,
        if(late_sender, dst, src) as rank,
        waiting_location as location,
        wait_begin_ns as at_ns,
        false as sent,
        0 as caused_ns,
        receiver_waited_ns + sender_waited_ns as suffered_ns
    from waits
    where late_sender or late_receiver
)

select
    called.* replace (
        called.late_sender and called.sent as late_sender,
        called.late_receiver and called.caused_ns > 0 as late_receiver,
        called.wrong_order and called.suffered_ns > 0 as wrong_order
    ),
    coalesce(places.place, called.call_site, unknown_place()) as key
from calls_at('ends') as called
left join places on called.call_site = places.call_site
where
    (part_ranks() is null or list_contains(part_ranks(), called.rank))
    and (part_places() is null or list_contains(part_places(), coalesce(called.call_site, unknown_place())));
