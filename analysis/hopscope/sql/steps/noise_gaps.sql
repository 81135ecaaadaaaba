-- The noise in each computing gap: its time beyond what that rank normally needs at that place.
--
-- Normal is the median of the rank at the place, from 20 occurrences on, the first (warm-up) left out; with fewer there is no row. The excess over it that
-- more than half of the ranks show in the same occurrence is varying work and no noise. Only computing counts, so that a neighbour's lateness is not noise.
--
-- uses computing_gaps
create or replace view noise_gaps as
with gaps as materialized (
    select
        rank,
        place,
        occurrence,
        end_ns,
        computing_ns
    from computing_gaps
    where occurrence > 1
),

usual as (
    select
        rank,
        place,
        median(computing_ns) as usual_ns
    from gaps
    group by rank, place
    -- The first one is left out but counts as an occurrence.
    having count(*) >= 19
),

excesses as materialized (
    select
        gaps.rank,
        gaps.place,
        gaps.occurrence,
        gaps.end_ns,
        gaps.computing_ns,
        usual.usual_ns,
        greatest(gaps.computing_ns - usual.usual_ns, 0) as excess_ns
    from gaps
    inner join usual on gaps.rank = usual.rank and gaps.place = usual.place
),

-- The excess that more than half of the ranks reach; a rank alone shares with nobody.
shared as (
    select
        place,
        occurrence,
        case when count(*) > 1 then quantile_disc(excess_ns, 0.5) else 0 end as shared_ns
    from excesses
    group by place, occurrence
)

select
    excesses.rank,
    excesses.place,
    excesses.occurrence,
    excesses.end_ns - excesses.computing_ns as begin_ns,
    excesses.end_ns,
    excesses.computing_ns,
    excesses.usual_ns,
    shared.shared_ns,
    greatest(excesses.excess_ns - shared.shared_ns, 0) as noise_ns
from excesses
inner join shared on excesses.place = shared.place and excesses.occurrence = shared.occurrence;
