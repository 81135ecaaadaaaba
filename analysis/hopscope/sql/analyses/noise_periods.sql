-- Find periodic noise and its period, rank by rank.
--
-- A Lomb-Scargle periodogram with a floating mean examines the noise of each iteration (`analyze noise`) over the time
-- at which the iteration began. An iteration is a turn of the program's main loop; if the run has no such loop,
-- each computing gap counts as one. A period is reported only if noise without one would show such a high peak on any
-- rank in less than 1 % of traces (false_alarm: the exact tail of one frequency of independent noise, times the number
-- of frequencies and of ranks; the test allows for noise that lasts over several iterations, which has long waves
-- without a period). Single spikes show no period, because values are cut off at the height of the fifth largest.
--
-- A period must come back at least ten times, at the same phase in each fifth of the run. So visible periods are longer
-- than two iterations and at most a tenth of the run. Anything that repeats in every
-- iteration or every second one is the program itself and never counts as a period; noise with so short a period
-- appears, if at all, under a longer one (an alias). It takes about 15 single noisy iterations to find their period, or
-- three bursts that each last a quarter of it. In a run with thousands of iterations (2,000 per rank; fewer with many
-- ranks), neighbouring iterations are taken together.
--
-- key rank
-- column rank INTEGER -- The rank.
-- column period_ns DOUBLE -- The period; null if there is none.
-- column resolution_ns DOUBLE -- How precisely a run of this length can determine the period.
-- column whole_iterations INTEGER -- The period in iterations, if the run cannot distinguish it from a whole number:
--    then it may be something that the program itself does every so many iterations.
-- column amplitude_ns DOUBLE -- Amplitude of the noise at that period, with spikes cut off.
-- column explained DOUBLE [share] -- Part of the noise's variance that the clearest peak explains, 0 to 1, even if it is not a
--    period.
-- column false_alarm DOUBLE [share] -- How often noise without a period would show such a peak; null where there is too little noise.
-- column periodic BOOLEAN -- Whether there is a period; null if that cannot be judged.
-- column iterations BIGINT -- Iterations that were examined.
-- column noisy BIGINT -- Iterations with noise, or groups of them if neighbouring iterations are taken together.
-- narrow noisy, whole_iterations, amplitude_ns
-- uses noise_gaps, iteration_ends
-- then verdicts.periods -- The periodogram and its false-alarm probability.
-- empty note no place of the program occurs 20 times, so noise cannot be told apart
-- example analyze noise-periods trace
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

-- Gaps after the last iteration belong to none.
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

-- A periodogram takes the square of its values, and each rank has one.
lengths as (
    select
        rank,
        ceil(count(*) / greatest(least(floor(2000 * sqrt(4 / count(*) over ())), 2000), 30))::bigint as neighbours
    from in_iterations
    group by rank
),

placed as (
    select
        found.rank,
        found.begin_ns,
        found.noise_ns,
        (row_number() over (partition by found.rank order by found.begin_ns, found.iteration) - 1)
        // lengths.neighbours as place
    from in_iterations as found
    inner join lengths on found.rank = lengths.rank
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
