-- The events of each thread as nested slices: calls, other regions and local work, and both ends of every arrow.
--
-- One row per slice, for timeline viewers. A slice without an end in the trace lasts until its rank's last event. An
-- end of an arrow (a hop or a message of the application) is a slice of one nanosecond: viewers attach arrows to
-- slices, and the times of an arrow are exact only on a slice of its own. The slice's name says the rank at the other
-- end. kind is call, region, step, send or receive; arrow_id is null except for sends and receives.
--
-- uses track_arrows
create or replace view track_slices as
with thread_slices as (
    select
        calls.rank,
        calls.location,
        'call' as kind,
        collectives.op as name,
        calls.enter_ns as begin_ns,
        calls.leave_ns as end_ns,
        collectives.comm::varchar || ':' || collectives.seq::varchar as collective,
        calls.bytes_sent as bytes,
        calls.engine as detail,
        null::bigint as arrow_id
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    union all
    select
        rank,
        location,
        'region' as kind,
        region as name,
        begin_ns,
        end_ns,
        null as collective,
        null as bytes,
        intervals.kind as detail,
        null as arrow_id
    from intervals
    union all
    select
        rank,
        location,
        'step' as kind,
        steps.kind as name,
        begin_ns,
        end_ns,
        null as collective,
        bytes,
        null as detail,
        null as arrow_id
    from steps
)

select
    thread_slices.rank,
    thread_slices.location,
    thread_slices.kind,
    thread_slices.name,
    thread_slices.begin_ns,
    greatest(coalesce(thread_slices.end_ns, ranks.last_event_ns), thread_slices.begin_ns) as end_ns,
    thread_slices.collective,
    thread_slices.bytes,
    thread_slices.detail,
    thread_slices.arrow_id
from thread_slices
inner join ranks on thread_slices.rank = ranks.rank
union all
select
    src as rank,
    src_location as location,
    'send' as kind,
    'send to ' || dst as name,
    send_ns as begin_ns,
    send_ns + 1 as end_ns,
    collective,
    bytes,
    detail,
    arrow_id
from track_arrows
union all
select
    dst as rank,
    dst_location as location,
    'receive' as kind,
    'receive from ' || src as name,
    receive_ns - 1 as begin_ns,
    receive_ns as end_ns,
    collective,
    bytes,
    detail,
    arrow_id
from track_arrows;
