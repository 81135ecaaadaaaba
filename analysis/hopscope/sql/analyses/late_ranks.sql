-- Lateness of each rank: always, in turn, in single spikes, sometimes or never.
--
-- A rank is late if, since its previous collective, it computed longer than the faster members (the lower quartile;
-- with fewer than five members, the fastest one).
--
-- always     in more than half of its collectives (`--often`), also at the lower end of the interval
-- rotating   in four of five collectives, the number of the latest rank moves on by the same step
-- spikes     in less than a tenth of its collectives (`--rare`), also at the upper end of the interval
-- sometimes  in other cases
-- never      in no collective
--
-- param least_ms DOUBLE = null -- Lateness in ms from which a rank is late; 5 % of the time per collective by default.
-- param often DOUBLE = 0.5 -- Share of collectives above which a rank is `always` late.
-- param rare DOUBLE = 0.1 -- Share of collectives below which a rank has `spikes`.
-- key rank
-- column rank INTEGER -- The rank.
-- column class VARCHAR -- always, rotating, spikes, sometimes or never; null below 13 collectives.
-- column share DOUBLE -- Share of the rank's collectives in which it was late.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column typical_ns BIGINT -- Median lateness.
-- column worst_ns BIGINT -- Largest lateness.
-- column latest BIGINT -- Collectives in which the rank was the latest.
-- column step INTEGER -- Step by which the number of the latest rank moves on; null if ranks take no turns.
-- column limit_ns BIGINT -- Lateness from which a rank counts as late.
-- column collectives BIGINT -- Collectives of two ranks or more that the rank took part in, except its first.
-- only-data limit_ns
-- narrow latest, worst_ns, share_low
-- uses share_of, share_intervals, block_of, lower_quartile, lateness_limit, own_computing
-- bar share
-- empty note there are no collectives between two ranks
-- example analyze late-ranks trace --fail-if "*.share_low > 50%"
with usual as (
    select
        collective_id,
        lower_quartile(computed_ns) as computed_ns
    from own_computing
    group by collective_id
),

compared as (
    select
        own_computing.rank,
        own_computing.collective_id,
        own_computing.computed_ns - usual.computed_ns as late_ns,
        collectives.comm_size,
        dense_rank() over (order by own_computing.collective_id) - 1 as nth
    from own_computing
    inner join usual on own_computing.collective_id = usual.collective_id
    inner join collectives on own_computing.collective_id = collectives.collective_id
    where collectives.complete and collectives.comm_size > 1 and own_computing.released_ns is not null
),

late_limit as materialized (
    select coalesce($least_ms::double * 1e6, limit_ns) as limit_ns from lateness_limit
),

lateness_of as materialized (
    select
        compared.*,
        compared.late_ns > late_limit.limit_ns as exceeds_limit
    from compared
    cross join late_limit
),

late_measures as (  -- noqa: ST03
    select
        rank as key,
        block_of(nth, max(nth) over () + 1) as block,
        exceeds_limit::integer as part,
        1 as whole
    from lateness_of
),

latest as materialized (
    select
        collective_id,
        arg_max(rank, row(late_ns, -rank)) as rank,
        max(comm_size) as comm_size
    from lateness_of
    where exceeds_limit
    group by collective_id
),

moves as materialized (
    select
        collective_id,
        rank,
        comm_size,
        (rank - lag(rank) over in_order + comm_size) % comm_size as step_before,
        (lead(rank) over in_order - rank + comm_size) % comm_size as step_after,
        (lead(rank) over in_order - lag(rank) over in_order + comm_size) % comm_size as step_across
    from latest
    window in_order as (order by collective_id)
),

commonest as (
    select step_before as step
    from moves
    where step_before > 0
    group by step_before
    order by count(*) desc, step_before asc
    limit 1
),

-- A collective is out of turn if the rotation continues around it: it comes between two turns, or another rank was late
-- in place of the next one.
turns as (
    select
        moves.rank,
        commonest.step,
        coalesce(moves.step_before = commonest.step, false) as is_next,
        coalesce(moves.step_before = commonest.step or moves.step_after = commonest.step, false) as is_turn,
        coalesce(
            moves.step_before <> commonest.step
            and moves.step_after <> commonest.step
            and (
                moves.step_across = commonest.step
                or (moves.step_across > 0 and moves.step_across = 2 * commonest.step % moves.comm_size)
            ),
            false
        ) as is_out_of_turn
    from moves
    cross join commonest
),

-- Ranks take turns if 60 % of the moves are the commonest step, and 80 % are this step or out of turn.
turn as (
    select
        case
            when
                count(*) > 10
                and count(*) filter (where is_next) >= 0.6 * (count(*) - 1)
                and count(*) filter (where is_next or is_out_of_turn) >= 0.8 * (count(*) - 1)
                then max(step)
        end::integer as step
    from turns
),

turns_of as (
    select
        rank,
        count(*) as turns
    from turns
    where is_turn
    group by rank
),

latest_of as (
    select
        rank,
        count(*) as latest
    from latest
    group by rank
),

by_rank as (
    select
        rank,
        count(*) filter (where exceeds_limit) as late_collectives,
        count(*) as collectives,
        median(late_ns) filter (where exceeds_limit) as typical_ns,
        max(late_ns) as worst_ns
    from lateness_of
    group by rank
),

rank_lateness as (
    select
        by_rank.*,
        share_of(by_rank.late_collectives, by_rank.collectives) as share,
        intervals.share_low,
        intervals.share_high,
        coalesce(latest_of.latest, 0) as latest,
        coalesce(turns_of.turns, 0) as turns,
        turn.step
    from by_rank
    cross join turn
    left join share_intervals('late_measures') as intervals on by_rank.rank = intervals.key
    left join latest_of on by_rank.rank = latest_of.rank
    left join turns_of on by_rank.rank = turns_of.rank
)

select
    rank,
    case
        when share_low is null then null
        when late_collectives = 0 then 'never'
        when share_low > $often::double then 'always'
        when step is not null and turns > 1 then 'rotating'
        when share_high < $rare::double then 'spikes'
        else 'sometimes'
    end as class,
    share::double as share,
    share_low,
    share_high,
    round(typical_ns)::bigint as typical_ns,
    round(worst_ns)::bigint as worst_ns,
    latest,
    step,
    (select round(late_limit.limit_ns)::bigint from late_limit) as limit_ns,
    collectives
from rank_lateness
order by rank
