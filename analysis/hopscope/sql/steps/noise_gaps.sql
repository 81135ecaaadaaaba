-- The noise in each computing gap: its time beyond what that rank normally needs at that place.
--
-- The normal time is the rank's median at the place, without the first occurrence (warm-up). With fewer than 20
-- occurrences there is no row. An excess that more than half of the ranks show in the same occurrence is varying work
-- and no noise. Only computing counts, so that a neighbour's lateness is not noise.
--
-- uses computing_gaps
create or replace view noise_gaps as
with usual as (
    select
        rank,
        place,
        occurrence,
        end_ns,
        computing_ns,
        median(computing_ns) over (partition by rank, place) as usual_ns
    from computing_gaps
    where occurrence > 1
    -- The first one is left out but counts as an occurrence.
    qualify count(*) over (partition by rank, place) >= 19
),

-- The excess that more than half of the ranks reach is shared. If a place has only one rank, nothing is shared.
excesses as (
    select
        *,
        greatest(computing_ns - usual_ns, 0) as excess_ns,
        case
            when count(*) over (partition by place, occurrence) > 1
                then quantile_disc(greatest(computing_ns - usual_ns, 0), 0.5) over (partition by place, occurrence)
            else 0
        end as shared_ns
    from usual
)

select
    rank,
    place,
    occurrence,
    end_ns - computing_ns as begin_ns,
    end_ns,
    computing_ns,
    usual_ns,
    shared_ns,
    greatest(excess_ns - shared_ns, 0) as noise_ns
from excesses;
