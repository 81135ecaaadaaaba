-- The noise of each rank in each iteration, for a heat map of ranks over time.
--
-- An iteration is a turn of the loop that repeats most of the run; `analyze noise --help` explains noise, and these rows
-- add up to its sums. Of more iterations than `most`, each of at most so many stretches of equal length has one row for
-- each rank: the iteration in which the rank had most noise, or computed longest (`worst`).
--
-- param rank INTEGER = null -- Only this rank.
-- param most BIGINT = null -- At most this many rows for each rank.
-- param worst noise|computing = "noise" -- Which iteration stands for a stretch: that with most of this.
-- key rank, iteration
-- column rank INTEGER -- The rank.
-- column iteration BIGINT -- Number of the iteration, from 0.
-- column from_iteration BIGINT -- The first iteration of its stretch: itself unless there are more than `most`.
-- column collective_id BIGINT -- The collective that ends it; null where the loop has none that all iterations call once.
-- column enter_ns BIGINT [at] -- When the rank entered that collective, or began the next iteration.
-- column computing_ns BIGINT -- Its computing in the iteration at the places that could be judged.
-- column noise_ns BIGINT -- Its noise in the iteration.
-- column paid_ns BIGINT -- The part of the noise that lies on the run's critical path.
-- only-data from_iteration
-- uses lateness
-- example analyze iterations trace --format csv
-- example analyze iterations trace --most 100 --worst computing
with known as materialized (
    select
        *,
        case when $worst = 'noise' then noise_ns else computing_ns end as measure
    from lateness
    where iteration is not null and ($rank is null or rank = $rank)
),

stretches as (
    select coalesce(ceil((max(iteration) + 1) / $most)::bigint, 1) as length
    from known
)

select
    known.rank,
    known.iteration,
    known.iteration // stretches.length * stretches.length as from_iteration,
    known.collective_id,
    known.enter_ns,
    known.computing_ns,
    known.noise_ns,
    known.paid_ns
from known
cross join stretches
qualify
    row_number() over (
        partition by known.rank, known.iteration // stretches.length
        order by known.measure desc, known.iteration asc
    ) = 1
order by known.iteration, known.rank
