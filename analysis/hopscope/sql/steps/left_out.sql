-- The times on the run's critical path that answers leave out because they happen once: start-up and shutdown.
--
-- One row; zeros if nothing is left out.
--
-- uses run_path_pieces
create or replace view left_out as
select
    coalesce(sum(end_ns - begin_ns) filter (where category = 'startup' and part_from_ns() is null), 0)::bigint
        as startup_ns,
    coalesce(sum(end_ns - begin_ns) filter (where category = 'shutdown' and part_to_ns() is null), 0)::bigint
        as shutdown_ns,
    coalesce(sum(end_ns - begin_ns), 0)::bigint as path_ns
from run_path_pieces;
