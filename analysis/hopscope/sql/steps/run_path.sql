-- The stretches of the run's critical path, with hosts, clusters and the block for the bootstrap.
--
-- One row per stretch. `toward` is the collective that the stretch lies in or, for computing and messages, the next
-- collective on the path, to which the stretch leads. Stretches after the last collective belong to the last one.
-- Stretches before the first collective or after the last happen once in a run. They have no block, so that the length
-- of MPI_Init does not pass for something that varies. `edge` is set where the path runs over a message. Start-up and
-- shutdown (`run_bounds`) are categories of their own, and left out unless the part of the run that was asked for has
-- ends of its own.
--
-- uses block_of, run_path_pieces
create or replace view run_path as
with directed_pieces as (
    select
        *,
        coalesce(
            first_value(collective_id ignore nulls)
                over (order by step, begin_ns rows between current row and unbounded following),
            last_value(collective_id ignore nulls)
                over (order by step, begin_ns rows between unbounded preceding and current row),
            -1
        ) as toward
    from run_path_pieces
    where
        (category <> 'startup' or part_from_ns() is not null)
        and (category <> 'shutdown' or part_to_ns() is not null)
),

numbered as (
    select
        *,
        dense_rank() over (order by toward) - 1 as place
    from directed_pieces
)

select
    numbered.step,
    numbered.rank,
    numbered.begin_ns,
    numbered.end_ns,
    numbered.end_ns - numbered.begin_ns as time_ns,
    numbered.category,
    numbered.collective_id,
    numbered.toward,
    case
        when
            numbered.step >= min(numbered.step) filter (where numbered.collective_id is not null) over ()
            and numbered.step <= max(numbered.step) filter (where numbered.collective_id is not null) over ()
            then block_of(numbered.place, max(numbered.place) over () + 1)
    end as block,
    numbered.hop_id,
    numbered.message_id,
    numbered.src,
    numbered.dst,
    case
        when
            coalesce(numbered.hop_id, numbered.message_id) is not null
            then numbered.src::varchar || '->' || numbered.dst::varchar
    end as edge,
    numbered.op,
    numbered.call_site,
    coalesce(places.place, numbered.call_site) as place,
    ranks.host,
    ranks.cluster
from numbered
left join ranks on numbered.rank = ranks.rank
left join places on numbered.call_site = places.call_site;
