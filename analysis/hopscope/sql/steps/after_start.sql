-- The begin of a stretch of time, moved to `run_start` if that is later.
--
-- The begin stays as it is if `run_start` is not before the stretch's end, or if the trace has no MPI_Init. All times
-- are in ns.
create or replace macro after_start(begin_at, end_at, start_at) as (
    if(start_at < end_at, greatest(begin_at, start_at), begin_at)
);
