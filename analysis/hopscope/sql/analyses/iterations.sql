-- The noise of each rank in each iteration, for a heat map of ranks over time.
--
-- An iteration is a turn of the loop that repeats most of the run; `analyze noise --help` explains noise, and these rows
-- add up to its sums.
--
-- key rank, iteration
-- column rank INTEGER -- The rank.
-- column iteration BIGINT -- Number of the iteration, from 0.
-- column collective_id BIGINT -- The collective that ends it; null where the loop has none that all iterations call once.
-- column enter_ns BIGINT [at] -- When the rank entered that collective, or began the next iteration.
-- column computing_ns BIGINT -- Its computing in the iteration at the places that could be judged.
-- column noise_ns BIGINT -- Its noise in the iteration.
-- column paid_ns BIGINT -- The part of the noise that lies on the run's critical path.
-- uses lateness
-- empty note the trace has no collectives between two ranks, so it has no iterations to tell apart
-- example analyze iterations trace --format csv
select
    rank,
    iteration,
    collective_id,
    enter_ns,
    computing_ns,
    noise_ns,
    paid_ns
from lateness
where iteration is not null
order by iteration, rank
