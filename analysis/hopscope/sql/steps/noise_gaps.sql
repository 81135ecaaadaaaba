-- The noise in each computing gap: its time beyond what that rank normally needs at that place.
--
-- Normal is the median of the rank at the place, from 20 occurrences on, the first (warm-up) left out; with fewer there is no row. The excess over it that
-- more than half of the ranks show in the same occurrence is varying work and no noise. Only computing counts, so that a neighbour's lateness is not noise.
--
-- uses computing_gaps
create or replace view noise_gaps as
with usual as (
    select
        rank,
        after_place,
        place,
        median(computing_ns) as usual_ns
    from computing_gaps
    where occurrence > 1
    group by rank, after_place, place
    -- The first one is left out but counts as an occurrence.
    having count(*) >= 19
),

excesses as (
    select
        gaps.*,
        usual.usual_ns,
        greatest(gaps.computing_ns - usual.usual_ns, 0) as excess_ns
    from computing_gaps as gaps
    inner join usual
        on
            gaps.rank = usual.rank
            and gaps.place = usual.place
            and gaps.after_place is not distinct from usual.after_place
    where gaps.occurrence > 1
),

-- The excess that more than half of the ranks reach; a rank alone shares with nobody.
shared as (
    select
        after_place,
        place,
        occurrence,
        case
            when count(*) > 1 then list_reverse_sort(list(excess_ns))[count(*) // 2 + 1]
            else 0
        end as shared_ns
    from excesses
    group by after_place, place, occurrence
)

select
    excesses.rank,
    excesses.after_place,
    excesses.place,
    excesses.occurrence,
    excesses.begin_ns,
    excesses.end_ns,
    excesses.computing_ns,
    excesses.usual_ns,
    shared.shared_ns,
    greatest(excesses.excess_ns - shared.shared_ns, 0) as noise_ns
from excesses
inner join shared
    on
        excesses.place = shared.place
        and excesses.occurrence = shared.occurrence
        and excesses.after_place is not distinct from shared.after_place;
