-- perfetto_name(pid, tid, metadata_name, args): a process's or thread's name, as an event of the Trace Event Format.
--
-- metadata_name is a word of that format: process_name, process_labels, process_sort_index (tid is null) or
-- thread_name.
create or replace macro perfetto_name(pid, tid, metadata_name, args) as
json_object('ph', 'M', 'name', metadata_name, 'pid', pid, 'tid', coalesce(tid, 0), 'args', args);
