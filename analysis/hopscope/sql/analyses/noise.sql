-- Noise of each rank: how often and how much it computed longer than normal, and how much of that delayed the run.
--
-- Noise is computing time beyond the rank's median at the same place in the program. A place counts if it occurs 20
-- times or more; its first occurrence is left out. Extra time that most ranks show at once does not count. An iteration
-- is a turn of the program's main loop. Noise on the run's critical path delays the run (it is paid for); the waiting
-- of other ranks absorbs the rest.
--
-- grain by = rank default
-- key rank
-- column rank VARCHAR -- The rank, or `any rank`.
-- column late_1ms BIGINT -- Iterations with more than 1 ms of noise; null without iterations.
-- column late_5ms BIGINT -- Iterations with more than 5 ms of noise; null without iterations.
-- column late_10ms BIGINT -- Iterations with more than 10 ms of noise; null without iterations.
-- column late_30ms BIGINT -- Iterations with more than 30 ms of noise; null without iterations.
-- column iterations BIGINT -- Iterations that the rank took part in.
-- column noise_ns BIGINT -- Noise of the rank; null if no place occurs 20 times.
-- column worst_ns BIGINT -- Noise in the worst iteration.
-- column noise_share DOUBLE -- Noise as a share of the rank's computing at the places that count.
-- column noise_low DOUBLE [share] -- Lower end of its interval; null below 13 iterations.
-- column noise_high DOUBLE [share] -- Upper end of its interval.
-- column paid_ns BIGINT -- Part of the noise on the run's critical path.
-- narrow late_5ms, worst_ns
-- uses lateness, share_of, share_intervals, block_of
-- only-data noise_low, noise_high
-- bar noise_ns
-- example analyze noise trace --fail-if '"any rank".late_10ms > 5'
with noisy as materialized (
    select * from lateness
),

by_rank as (
    select
        ranks.rank,
        count(*) filter (where noisy.iteration is not null and noisy.noise_ns > 1_000_000) as late_1ms,
        count(*) filter (where noisy.iteration is not null and noisy.noise_ns > 5_000_000) as late_5ms,
        count(*) filter (where noisy.iteration is not null and noisy.noise_ns > 10_000_000) as late_10ms,
        count(*) filter (where noisy.iteration is not null and noisy.noise_ns > 30_000_000) as late_30ms,
        count(noisy.iteration) as iterations,
        sum(noisy.noise_ns) as noise_ns,
        max(noisy.noise_ns) filter (where noisy.iteration is not null) as worst_ns,
        sum(noisy.computing_ns) as computing_ns,
        sum(noisy.paid_ns) as paid_ns,
        coalesce(sum(noisy.gaps), 0) > 0 as has_gaps
    from ranks
    left join noisy on ranks.rank = noisy.rank
    group by ranks.rank
),

noise_measures as (  -- noqa: ST03
    select
        unnest([rank::varchar, 'any rank']) as key,
        block_of(iteration, max(iteration) over () + 1) as block,
        noise_ns as part,
        computing_ns as whole
    from noisy
),

worst as (
    select
        iteration,
        max(noise_ns) as noise_ns
    from noisy
    where iteration is not null
    group by iteration
),

any_rank as (
    select
        count(*) filter (where noise_ns > 1_000_000) as late_1ms,
        count(*) filter (where noise_ns > 5_000_000) as late_5ms,
        count(*) filter (where noise_ns > 10_000_000) as late_10ms,
        count(*) filter (where noise_ns > 30_000_000) as late_30ms,
        count(*) as iterations,
        max(noise_ns) as worst_ns
    from worst
),

sums as (
    select
        sum(noise_ns) filter (where has_gaps) as noise_ns,
        sum(paid_ns) filter (where has_gaps) as paid_ns,
        share_of(sum(noise_ns), sum(computing_ns)) as noise_share,
        bool_or(has_gaps) as has_gaps
    from by_rank
),

rows_of as (
    select
        rank as place,
        rank::varchar as rank,
        late_1ms,
        late_5ms,
        late_10ms,
        late_30ms,
        iterations,
        case when has_gaps then noise_ns end as noise_ns,
        case when has_gaps then worst_ns end as worst_ns,
        share_of(noise_ns, computing_ns) as noise_share,
        case when has_gaps then paid_ns end as paid_ns
    from by_rank

    union all
    select
        null as place,
        'any rank' as rank,
        any_rank.late_1ms,
        any_rank.late_5ms,
        any_rank.late_10ms,
        any_rank.late_30ms,
        any_rank.iterations,
        sums.noise_ns,
        case when sums.has_gaps then any_rank.worst_ns end as worst_ns,
        sums.noise_share,
        sums.paid_ns
    from any_rank
    cross join sums
)

select
    rows_of.rank,
    case when rows_of.iterations > 0 then rows_of.late_1ms end as late_1ms,
    case when rows_of.iterations > 0 then rows_of.late_5ms end as late_5ms,
    case when rows_of.iterations > 0 then rows_of.late_10ms end as late_10ms,
    case when rows_of.iterations > 0 then rows_of.late_30ms end as late_30ms,
    rows_of.iterations,
    rows_of.noise_ns::bigint as noise_ns,
    rows_of.worst_ns::bigint as worst_ns,
    rows_of.noise_share::double as noise_share,
    intervals.share_low as noise_low,
    intervals.share_high as noise_high,
    rows_of.paid_ns::bigint as paid_ns
from rows_of
left join share_intervals('noise_measures') as intervals on rows_of.rank = intervals.key
order by rows_of.place nulls last
