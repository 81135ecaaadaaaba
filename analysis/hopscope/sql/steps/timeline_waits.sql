-- The waits of the two ends of hops for each other in a part of the run, on the thread of their rank's call.
--
-- One row per end that waited. Waits of one thread may overlap.
create or replace macro timeline_waits(begin_at, end_at) as table
    with ends as (
        select
            collective_id,
            dst as rank,
            recv_wait_begin_ns as begin_ns,
            recv_end_ns as end_ns,
            link
        from hops
        where recv_wait_begin_ns < end_at and recv_end_ns > begin_at
        union all
        select
            collective_id,
            src as rank,
            send_wait_begin_ns as begin_ns,
            send_end_ns as end_ns,
            link
        from hops
        where send_wait_begin_ns < end_at and send_end_ns > begin_at
    )

    select
        calls.location,
        ends.begin_ns,
        ends.end_ns,
        ends.link
    from ends
    inner join calls on ends.collective_id = calls.collective_id and ends.rank = calls.rank
    where ends.begin_ns < ends.end_ns;
