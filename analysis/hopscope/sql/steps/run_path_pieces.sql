-- The stretches of the run's critical path, with start-up and shutdown, which happen once, as categories of their own.
--
-- A stretch that reaches over one of the ends of `run_bounds` is cut there. The pieces of a run that neither calls a collective nor sends a message keep
-- their categories.
--
-- uses run_bounds
create or replace view run_path_pieces as
with ends as (
    select
        coalesce(first_ns, -1) as first_ns,
        coalesce(last_ns, 9223372036854775807) as last_ns
    from run_bounds
),

spans as (
    select
        unnest(['startup', null, 'shutdown']) as one_time_category,
        unnest([-1, first_ns, last_ns]) as begin_ns,
        unnest([first_ns, last_ns, 9223372036854775807]) as end_ns
    from ends
)

select
    path_stretches.step,
    path_stretches.rank,
    greatest(path_stretches.begin_ns, spans.begin_ns) as begin_ns,
    least(path_stretches.end_ns, spans.end_ns) as end_ns,
    coalesce(spans.one_time_category, path_stretches.category) as category,
    path_stretches.collective_id,
    path_stretches.hop_id,
    path_stretches.message_id,
    path_stretches.src,
    path_stretches.dst,
    path_stretches.op,
    path_stretches.call_site
from path_stretches
inner join spans
    on
        (path_stretches.begin_ns < spans.end_ns and path_stretches.end_ns > spans.begin_ns)
        -- A stretch without length at one of the bounds belongs to neither start-up nor shutdown.
        or (
            spans.one_time_category is null and path_stretches.begin_ns = path_stretches.end_ns
            and path_stretches.begin_ns in (spans.begin_ns, spans.end_ns)
        )
where path_stretches.path = 'run';
