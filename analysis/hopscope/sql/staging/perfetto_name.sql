-- perfetto_name(pid, tid, what, args): what a process or thread is called, as an event of the Trace Event Format.
--
-- what is one of that format's metadata names: process_name, process_labels, process_sort_index (tid is null) or thread_name.
create or replace macro perfetto_name(pid, tid, what, args) as
json_object('ph', 'M', 'name', what, 'pid', pid, 'tid', coalesce(tid, 0), 'args', args);
