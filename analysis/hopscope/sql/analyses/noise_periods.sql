-- Whether a rank's noise comes with a period, and which.
--
-- The noise of each computing gap (`analyze noise`) over the time at which the gap ended, which is uneven, through a
-- Lomb-Scargle periodogram with a floating mean. A period is given only if noise without one would show a peak as high on any
-- rank in less than 1 % of traces (false_alarm: the exact tail of one frequency of independent noise, times the number of
-- frequencies and of ranks; noise that lasts from gap to gap has long waves without a period, and is allowed
-- for). Periods from twice the time between gaps, on average, to a quarter of the run can be
-- seen; noise with a shorter period shows up, if at all, under a longer one (an alias). Of a run with thousands of gaps (2,000 a rank, of many ranks
-- fewer) neighbours are taken together.
--
-- key rank
-- column rank INTEGER -- The rank.
-- column period_ns DOUBLE -- The period; null where none holds.
-- column resolution_ns DOUBLE -- How exactly the length of the run can tell that period.
-- column amplitude_ns DOUBLE -- Amplitude of the noise's swing with it.
-- column explained DOUBLE -- Part of the noise's variance that goes with the highest peak, 0 to 1, period or not.
-- column false_alarm DOUBLE -- How often noise without a period would show such a peak; null where there is too little noise.
-- column periodic BOOLEAN -- Whether a period is given; null where it cannot be judged.
-- column gaps BIGINT -- Computing gaps that were looked at.
-- column noisy BIGINT -- Those of them with noise.
-- uses noise_gaps
-- then verdicts.periods -- The periodogram and its false-alarm probability.
-- empty note no place of the program occurs 20 times, so no noise can be told
-- example analyze noise-periods trace
with noise as materialized (
    select
        rank,
        begin_ns,
        end_ns,
        noise_ns
    from noise_gaps
),

-- A periodogram takes the square of its values, and each rank has one.
lengths as (
    select
        rank,
        ceil(count(*) / greatest(least(floor(2000 * sqrt(4 / count(*) over ())), 2000), 30))::bigint as neighbours
    from noise
    group by rank
),

placed as (
    select
        noise.rank,
        noise.end_ns,
        noise.noise_ns,
        (row_number() over (partition by noise.rank order by noise.end_ns, noise.begin_ns) - 1)
        // lengths.neighbours as place
    from noise
    inner join lengths on noise.rank = lengths.rank
)

select
    rank,
    avg(end_ns) as at_ns,
    avg(noise_ns) as noise_ns,
    count(*) as gaps,
    count(*) filter (where noise_ns > 0) as noisy
from placed
group by rank, place
order by rank, place
