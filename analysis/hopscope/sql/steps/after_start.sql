-- The later of a begin and `run_start`, if that lies before the end: where it lies after, or the trace has no MPI_Init, the begin stays.
--
-- In ns.
create or replace macro after_start(begin_at, end_at, start_at) as (
    if(start_at < end_at, greatest(begin_at, start_at), begin_at)
);
