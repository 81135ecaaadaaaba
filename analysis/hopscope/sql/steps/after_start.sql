-- The later of a begin and `run_start`; the begin itself if `run_start` is not before the end, or if the trace has no MPI_Init.
--
-- All times are in ns.
create or replace macro after_start(begin_at, end_at, start_at) as (
    if(start_at < end_at, greatest(begin_at, start_at), begin_at)
);
