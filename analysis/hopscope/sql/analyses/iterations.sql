-- Noise of each rank in each iteration, for a heat map.
--
-- `analyze noise --help` explains noise and iterations. If there are more iterations than `most`, they are put into
-- that many equal stretches, and each row is the worst iteration of a rank in a stretch.
--
-- param rank INTEGER = null -- Only this rank.
-- param most BIGINT = null -- At most this many rows for each rank.
-- param worst noise|computing = "noise" -- A stretch shows its iteration with most noise or most computing.
-- key rank, iteration
-- column rank INTEGER -- The rank.
-- column iteration BIGINT -- Number of the iteration, from 0.
-- column from_iteration BIGINT -- First iteration of the stretch.
-- column collective_id BIGINT -- Collective that ends the iteration; null if there is none.
-- column enter_ns BIGINT [at] -- Time of entering collective_id; without one, begin of the next iteration.
-- column computing_ns BIGINT -- Computing of the rank in the iteration, at places that occur 20 times or more.
-- column noise_ns BIGINT -- Noise of the rank in the iteration.
-- column paid_ns BIGINT -- Part of the noise on the run's critical path.
-- only-data from_iteration
-- uses lateness
-- example analyze iterations trace --format csv
-- example analyze iterations trace --most 100 --worst computing
with rank_iterations as materialized (
    select
        *,
        case when $worst = 'noise' then noise_ns else computing_ns end as measure
    from lateness
    where iteration is not null and ($rank is null or rank = $rank)
),

stretches as (
    select coalesce(ceil((max(iteration) + 1) / $most)::bigint, 1) as length
    from rank_iterations
)

select
    rank_iterations.rank,
    rank_iterations.iteration,
    rank_iterations.iteration // stretches.length * stretches.length as from_iteration,
    rank_iterations.collective_id,
    rank_iterations.enter_ns,
    rank_iterations.computing_ns,
    rank_iterations.noise_ns,
    rank_iterations.paid_ns
from rank_iterations
cross join stretches
qualify
    row_number() over (
        partition by rank_iterations.rank, rank_iterations.iteration // stretches.length
        order by rank_iterations.measure desc, rank_iterations.iteration asc
    ) = 1
order by rank_iterations.iteration, rank_iterations.rank
