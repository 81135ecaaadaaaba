-- perfetto_slice(pid, tid, cat, name, begin_ns, end_ns, args): a slice of a track, as a Trace Event Format's event.
--
-- Times in that format are microseconds; their fractions keep them exact to the nanosecond.
create or replace macro perfetto_slice(pid, tid, cat, name, begin_ns, end_ns, args) as
json_object(
    'ph', 'X', 'cat', cat, 'name', name, 'pid', pid, 'tid', tid,
    'ts', begin_ns / 1000, 'dur', (end_ns - begin_ns) / 1000, 'args', args
);
