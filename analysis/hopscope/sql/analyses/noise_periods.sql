-- Whether a rank's noise comes with a period, and which.
--
-- The noise (`analyze noise`) of each iteration over the time at which the iteration began, through a Lomb-Scargle
-- periodogram with a floating mean. An iteration ends at the collective that the run repeats most; where it repeats none,
-- each computing gap counts as one. A period is given only if noise without one would show a peak as high on any
-- rank in less than 1 % of traces (false_alarm: the exact tail of one frequency of independent noise, times the number of
-- frequencies and of ranks; noise that lasts from iteration to iteration has long waves without a period, and is allowed
-- for). Single spikes give none: values are cut off at the height of the fifth largest.
--
-- Periods of more than two iterations, up to a third of the run, can be seen. What repeats with every iteration or every
-- second one is the program itself and never a period here; noise with so short a period shows up, if at all, under a longer one (an alias). Of single
-- noisy iterations it takes about 15 to tell their period, of bursts that last a quarter of it three. Of a run with thousands of
-- iterations (2,000 a rank, of many ranks fewer) neighbours are taken together.
--
-- key rank
-- column rank INTEGER -- The rank.
-- column period_ns DOUBLE -- The period; null where none holds.
-- column resolution_ns DOUBLE -- How exactly the length of the run can tell that period.
-- column whole_iterations INTEGER -- The number of iterations that the period is, where the run cannot tell it from a whole
--    number of them: then it may be something that the program itself does every so many iterations.
-- column amplitude_ns DOUBLE -- Amplitude of the noise's swing with it, spikes cut off.
-- column explained DOUBLE -- Part of the noise's variance that goes with the surest peak, 0 to 1, period or not.
-- column false_alarm DOUBLE -- How often noise without a period would show such a peak; null where there is too little noise.
-- column periodic BOOLEAN -- Whether a period is given; null where it cannot be judged.
-- column iterations BIGINT -- Iterations that were looked at.
-- column noisy BIGINT -- Those of them with noise; of neighbours that are taken together, those groups.
-- uses noise_gaps, iteration_ends
-- then verdicts.periods -- The periodogram and its false-alarm probability.
-- empty note no place of the program occurs 20 times, so no noise can be told
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
