-- Periodic noise and its period, by rank.
--
-- A Lomb-Scargle periodogram examines the noise of each iteration or, without iterations, of each computing gap. A
-- period lasts more than two iterations and at most a tenth of the run. It is reported if chance shows such a peak in
-- less than 1 % of traces, and if the noise keeps its phase.
--
-- grain by = period
-- key rank
-- column rank INTEGER -- The rank.
-- column period_ns DOUBLE -- The period; null if none.
-- column resolution_ns DOUBLE -- Precision of the period.
-- column whole_iterations INTEGER -- The period in iterations if it may be a whole number: then the program may cause
--    it.
-- column amplitude_ns DOUBLE -- Amplitude of the noise, spikes cut off.
-- column explained DOUBLE [share] -- Share of the variance that the clearest peak explains.
-- column false_alarm DOUBLE [share] -- Probability of the peak without a period; null with too little noise.
-- column periodic BOOLEAN -- True if there is a period; null if unknown.
-- column iterations BIGINT -- Iterations examined.
-- column noisy BIGINT -- Iterations with noise; of long runs, groups of iterations.
-- narrow noisy, whole_iterations, amplitude_ns
-- uses noise_gaps, iteration_ends
-- then explain.periods -- The periodogram and its false-alarm probability.
-- empty note no place of the program occurs 20 times, so noise cannot be told apart
-- example analyze noise trace --by period
with gaps as materialized (
    select
        rank,
        begin_ns,
        end_ns,
        noise_ns
    from noise_gaps
),

ends as materialized (
    select
        rank,
        iteration,
        enter_ns
    from iteration_ends
),

-- Gaps after the last iteration belong to no iteration.
in_iterations as (
    select
        gaps.rank,
        ends.iteration,
        min(gaps.begin_ns) as begin_ns,
        sum(gaps.noise_ns) as noise_ns
    from gaps
    asof inner join ends on gaps.rank = ends.rank and gaps.end_ns <= ends.enter_ns
    group by gaps.rank, ends.iteration

    union all
    select
        rank,
        row_number() over (partition by rank order by begin_ns) as iteration,
        begin_ns,
        noise_ns
    from gaps
    where not exists (select 1 from ends)
),

-- The time of a periodogram grows with the square of the number of values, and each rank has a periodogram. So in long
-- runs, neighbouring values are averaged.
lengths as (
    select
        rank,
        ceil(count(*) / greatest(least(floor(2000 * sqrt(4 / count(*) over ())), 2000), 30))::bigint as neighbours
    from in_iterations
    group by rank
),

placed as (
    select
        rank_iterations.rank,
        rank_iterations.begin_ns,
        rank_iterations.noise_ns,
        (
            row_number()
                over (partition by rank_iterations.rank order by rank_iterations.begin_ns, rank_iterations.iteration)
            - 1
        )
        // lengths.neighbours as place
    from in_iterations as rank_iterations
    inner join lengths on rank_iterations.rank = lengths.rank
)

select
    rank,
    avg(begin_ns) as at_ns,
    avg(noise_ns)::double as noise_ns,
    count(*) as iterations,
    count(*) filter (where noise_ns > 0) as noisy
from placed
group by rank, place
order by rank, place
