-- The stretches of the run's critical path, with what happens once named apart: start-up and shutdown.
--
-- A stretch that reaches over one of the ends of `run_bounds` is cut there. The pieces of a run that neither calls a collective nor sends a message keep
-- their categories.
--
-- uses run_bounds
create or replace view run_path_pieces as
select
    path_stretches.step,
    path_stretches.rank,
    path_stretches.begin_ns,
    least(path_stretches.end_ns, run_bounds.first_ns) as end_ns,
    'startup' as category,
    path_stretches.collective_id,
    path_stretches.hop_id,
    path_stretches.message_id,
    path_stretches.src,
    path_stretches.dst,
    path_stretches.op,
    path_stretches.call_site
from path_stretches
cross join run_bounds
where path_stretches.path = 'run' and path_stretches.begin_ns < run_bounds.first_ns

union all
select
    path_stretches.step,
    path_stretches.rank,
    greatest(path_stretches.begin_ns, run_bounds.first_ns) as begin_ns,
    least(path_stretches.end_ns, run_bounds.last_ns) as end_ns,
    path_stretches.category,
    path_stretches.collective_id,
    path_stretches.hop_id,
    path_stretches.message_id,
    path_stretches.src,
    path_stretches.dst,
    path_stretches.op,
    path_stretches.call_site
from path_stretches
cross join run_bounds
where
    path_stretches.path = 'run' and (
        run_bounds.first_ns is null
        or least(path_stretches.end_ns, run_bounds.last_ns) > greatest(path_stretches.begin_ns, run_bounds.first_ns)
        or (
            path_stretches.begin_ns = path_stretches.end_ns
            and path_stretches.begin_ns between run_bounds.first_ns and run_bounds.last_ns
        )
    )

union all
select
    path_stretches.step,
    path_stretches.rank,
    greatest(path_stretches.begin_ns, run_bounds.last_ns) as begin_ns,
    path_stretches.end_ns,
    'shutdown' as category,
    path_stretches.collective_id,
    path_stretches.hop_id,
    path_stretches.message_id,
    path_stretches.src,
    path_stretches.dst,
    path_stretches.op,
    path_stretches.call_site
from path_stretches
cross join run_bounds
where path_stretches.path = 'run' and path_stretches.end_ns > run_bounds.last_ns;
