-- The trace as events of the Trace Event Format, the JSON that Perfetto and chrome://tracing read.
--
-- One row per event; `event` is its JSON object. part gives the order of the events in a file: names (a process for
-- each rank, with the rank as its sort order, and one for the critical path of the run), slices, path (the stretches of
-- that path), arrows (two rows for each: one for the send, one for the receive). Times in the events are microseconds,
-- as the format requires; begin_ns and end_ns are for choosing a range. An arrow that points backwards, because clocks
-- disagree, is left out: viewers cannot draw it.
--
-- uses track_threads, track_slices, track_arrows, perfetto_name, perfetto_slice
create or replace view perfetto_events as
with path_process as (
    select coalesce(max(rank), 0) + 2 as pid from ranks
)

select
    'names' as part,
    null::bigint as begin_ns,
    null::bigint as end_ns,
    unnest([
        perfetto_name(rank + 1, null, 'process_name', json_object('name', 'rank ' || rank || ' on ' || host)),
        perfetto_name(rank + 1, null, 'process_labels', json_object('labels', cluster)),
        perfetto_name(rank + 1, null, 'process_sort_index', json_object('sort_index', rank + 1)),
        perfetto_name(rank + 1, track, 'thread_name', json_object('name', track_name))
    ]) as event
from track_threads
union all
select
    'names' as part,
    null as begin_ns,
    null as end_ns,
    unnest([
        perfetto_name(pid, null, 'process_name', json_object('name', 'critical path of the run')),
        perfetto_name(pid, null, 'process_sort_index', json_object('sort_index', 0)),
        perfetto_name(pid, 0, 'thread_name', json_object('name', 'critical path'))
    ]) as event
from path_process
union all
select
    'slices' as part,
    slices.begin_ns,
    slices.end_ns,
    perfetto_slice(
        slices.rank + 1, threads.track, slices.kind, slices.name, slices.begin_ns, slices.end_ns,
        json_object('collective', slices.collective, 'bytes', slices.bytes, 'detail', slices.detail)
    ) as event
from track_slices as slices
inner join track_threads as threads on slices.rank = threads.rank and slices.location = threads.location
union all
select
    'path' as part,
    stretches.begin_ns,
    stretches.end_ns,
    perfetto_slice(
        path_process.pid, 0, 'path', stretches.category, stretches.begin_ns, stretches.end_ns,
        json_object('rank', stretches.rank, 'op', stretches.op, 'src', stretches.src, 'dst', stretches.dst)
    ) as event
from path_stretches as stretches
cross join path_process
where stretches.path = 'run'
union all
select
    'arrows' as part,
    arrows.send_ns as begin_ns,
    arrows.receive_ns as end_ns,
    unnest([
        json_object(
            'ph', 's', 'cat', arrows.kind, 'name', arrows.kind, 'id', arrows.arrow_id,
            'pid', arrows.src + 1, 'tid', senders.track, 'ts', arrows.send_ns / 1000
        ),
        json_object(
            'ph', 'f', 'bp', 'e', 'cat', arrows.kind, 'name', arrows.kind, 'id', arrows.arrow_id,
            'pid', arrows.dst + 1, 'tid', receivers.track, 'ts', (arrows.receive_ns - 1) / 1000
        )
    ]) as event
from track_arrows as arrows
inner join track_threads as senders on arrows.src = senders.rank and arrows.src_location = senders.location
inner join track_threads as receivers on arrows.dst = receivers.rank and arrows.dst_location = receivers.location
where arrows.receive_ns > arrows.send_ns;
