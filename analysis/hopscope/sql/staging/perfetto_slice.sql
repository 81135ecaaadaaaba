-- perfetto_slice(pid, tid, cat, name, begin_ns, end_ns, args): a slice of a track, as an event of the Trace Event Format.
--
-- Its times are microseconds there, exact to the nanosecond by their fraction.
create or replace macro perfetto_slice(pid, tid, cat, name, begin_ns, end_ns, args) as
json_object(
    'ph', 'X', 'cat', cat, 'name', name, 'pid', pid, 'tid', tid,
    'ts', begin_ns / 1000, 'dur', (end_ns - begin_ns) / 1000, 'args', args
);
