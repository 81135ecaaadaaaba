-- The call that every iteration of the program's main loop makes once, and how sure that is.
--
-- Loops contain loops, and a step of a program does some things only now and then. So several calls may divide the run
-- into turns of which half or more are alike (`iteration_candidates`; five turns or more). Of two such calls, the rarer
-- may be an occasional call of a step, or it marks the step and the other call marks a loop inside. The number of turns
-- of the other call between two of the rarer calls decides:
--
-- * Always the same number, five or more: the rarer call is an occasional one, such as printing every tenth step. The
--   other call marks the step.
-- * Always the same number, two to four: the other call marks stages of a step. The rarer call marks the step.
-- * A varying number: the other call marks a loop inside, such as one that iterates until convergence. The rarer call
--   marks the step, unless
--   - a third call comes after a fixed number of the other call's turns, out of step with the rarer calls: a program
--     counts its steps, so the other call marks them;
--   - every turn makes a third call equally often, except the turns with the rarer call: those are a variant of the
--     step;
--   - the rarer call comes less than ten times, or after more than 100 turns on average.
--
-- Of the remaining calls, the outermost marks the step. Among calls that are about equally frequent, the call is chosen
-- whose turns are most often alike, within 10 %, then a collective of the most ranks, then the call with most turns.
-- The first rule cannot be certain: a solver that always takes ten iterations looks the same.
--
-- One row or none. sure is the share of turns that make the same calls or, with a loop inside, that call from the same
-- places. The rival is the call that would mark the step by another reading, if there is one. It is a call of a loop
-- inside, with between_least to between_most turns in each step, or a call around, which comes after that many steps.
--
-- uses first_rank_calls, iteration_candidates
create or replace view iteration_marker as
with alike_enough as materialized (
    select
        *,
        alike * covered as score,
        (turns >= 5 and alike >= 0.5 and of_time >= case when is_whole then 0.25 else 0.5 end)
        or part_iteration_at() is not null as is_alike
    from iteration_candidates
),

alike_turns as (
    select turns
    from alike_enough
    where is_alike
),

-- The starts of a place divide the run only if all calls from the place do not.
candidates as materialized (
    select
        *,
        is_alike and (not starts or of_site not in (select alike_turns.turns from alike_turns)) as is_loop
    from alike_enough
),

events as materialized (
    select
        rank_calls.n,
        candidates.site,
        candidates.starts,
        candidates.turns,
        row_number() over (partition by candidates.site, candidates.starts order by rank_calls.n) as turn
    from first_rank_calls as rank_calls
    inner join candidates
        on
            rank_calls.site = candidates.site
            and (rank_calls.is_start or not candidates.starts)
),

-- The number of turns of each loop at each call of a rarer one.
rarer_events as (
    select
        loops.site,
        loops.starts,
        rarer.site as rarer_site,
        rarer.starts as rarer_starts,
        rarer.n,
        rarer.turn as rarer_turn
    from candidates as loops
    inner join events as rarer on loops.turns >= 2 * rarer.turns
    where part_iteration_at() is null
),

between_calls as materialized (
    select
        rarer_events.site,
        rarer_events.starts,
        rarer_events.rarer_site,
        rarer_events.rarer_starts,
        rarer_events.n,
        coalesce(events.turn, 0) - lag(coalesce(events.turn, 0)) over (
            partition by rarer_events.site, rarer_events.starts, rarer_events.rarer_site, rarer_events.rarer_starts
            order by rarer_events.n
        ) as number
    from rarer_events
    asof left join events
        on
            rarer_events.site = events.site
            and rarer_events.starts = events.starts
            and rarer_events.n >= events.n
),

numbers as (
    select
        site,
        starts,
        rarer_site,
        rarer_starts,
        number,
        count(*) as times
    from between_calls
    where number is not null
    group by site, starts, rarer_site, rarer_starts, number
),

-- One row per loop and rarer call. usual is the commonest number of the loop's turns between two of the rarer calls;
-- is_fixed is true if the number is nearly always the same.
pairs as materialized (
    select
        site,
        starts,
        rarer_site,
        rarer_starts,
        arg_max(number, (times, -number)) as usual,
        sum(times * number) / sum(times) as mean,
        min(number) as least_number,
        max(number) as most_number,
        sum(times) - max(times) <= greatest(case when sum(times) >= 4 then 1 else 0 end, 0.1 * sum(times)) as is_fixed
    from numbers
    group by site, starts, rarer_site, rarer_starts
),

-- A call that repeats without other calls is a loop only if all its calls are known to come from one place.
occasional as (
    select pairs.*
    from pairs
    inner join candidates as loops on pairs.site = loops.site and pairs.starts = loops.starts
    where loops.is_loop and pairs.is_fixed and pairs.usual >= 5 and (loops.is_place or loops.calls > 1)
),

-- Rarer calls between which the turns of a loop vary.
varying as materialized (
    select
        pairs.*,
        rarer.turns as rarer_turns
    from pairs
    inner join candidates as loops on pairs.site = loops.site and pairs.starts = loops.starts
    inner join candidates as rarer on pairs.rarer_site = rarer.site and pairs.rarer_starts = rarer.starts
    where loops.is_loop and not pairs.is_fixed
),

-- Of these, the calls out of step with an occasional call. That call shows that the program counts the loop's turns as
-- steps.
out_of_step as (
    select
        varying.rarer_site,
        varying.rarer_starts
    from varying
    inner join occasional on varying.site = occasional.site and varying.starts = occasional.starts
    inner join between_calls
        on
            varying.site = between_calls.site
            and varying.starts = between_calls.starts
            and varying.rarer_site = between_calls.rarer_site
            and varying.rarer_starts = between_calls.rarer_starts
    where between_calls.number is not null
    group by
        varying.site,
        varying.starts,
        varying.rarer_site,
        varying.rarer_starts,
        occasional.rarer_site,
        occasional.rarer_starts
    having count(*) filter (where between_calls.number % occasional.usual = 0) < 0.9 * count(*)
),

-- Also the calls that replace another call: every turn makes the other call equally often, except the turns with its
-- replacement.
stand_ins as (
    select
        varying.rarer_site,
        varying.rarer_starts
    from varying
    inner join between_calls as turns
        on
            varying.site = turns.site
            and varying.starts = turns.starts
            and varying.rarer_site = turns.rarer_site
            and varying.rarer_starts = turns.rarer_starts
    inner join pairs as sibling_pairs
        on
            varying.rarer_site = sibling_pairs.rarer_site
            and varying.rarer_starts = sibling_pairs.rarer_starts
    inner join between_calls as calls
        on
            sibling_pairs.site = calls.site
            and sibling_pairs.starts = calls.starts
            and sibling_pairs.rarer_site = calls.rarer_site
            and sibling_pairs.rarer_starts = calls.rarer_starts
            and turns.n = calls.n
    where varying.mean > 1
    group by
        varying.site,
        varying.starts,
        varying.mean,
        varying.rarer_site,
        varying.rarer_starts,
        sibling_pairs.site,
        sibling_pairs.starts,
        sibling_pairs.mean
    having
        round(sibling_pairs.mean / (varying.mean - 1)) >= 1
        and count(*) filter (where calls.number = (turns.number - 1) * round(sibling_pairs.mean / (varying.mean - 1)))
        >= 0.9 * count(turns.number)
),

no_steps as (
    select
        rarer_site as site,
        rarer_starts as starts
    from occasional
    union
    from out_of_step
    union
    from stand_ins
    union
    select
        rarer_site,
        rarer_starts
    from varying
    where rarer_turns < 10 or mean > 100
),

not_refused as (
    from candidates
    anti join no_steps on candidates.site = no_steps.site and candidates.starts = no_steps.starts
    where candidates.is_alike
),

-- The calls that may mark the step. Starts that are as frequent as such a call mark the step equally well, and they may
-- be calls of a collective, which the others are not.
steps as (
    from not_refused
    where
        is_loop
        or turns in (
            select sibling_pairs.turns
            from not_refused as sibling_pairs
            where sibling_pairs.is_loop
        )
),

outermost as (
    from steps
    qualify turns < 2 * min(turns) over ()
),

step as materialized (
    from outermost
    qualify
        row_number() over (
            order by
                (score >= 0.9 * (select max(best.score) from outermost as best)) desc,
                case when part_iteration_at() is null then comm_size end desc,
                case when part_iteration_at() is null then turns else -turns end desc,
                site asc
        ) = 1
),

-- The rival: first choice is a loop inside, then the call around the step whose alike turns cover most of the run.
rivals as (
    select
        candidates.site,
        candidates.turns,
        pairs.site <> step.site or pairs.starts <> step.starts as is_nested,
        case when pairs.is_fixed then pairs.usual else pairs.least_number end as least_number,
        case when pairs.is_fixed then pairs.usual else pairs.most_number end as most_number
    from step
    inner join pairs
        on
            (step.site = pairs.site and step.starts = pairs.starts)
            or (step.site = pairs.rarer_site and step.starts = pairs.rarer_starts and not pairs.is_fixed)
    inner join candidates
        on
            candidates.is_loop
            and (candidates.site, candidates.starts) in (
                (pairs.site, pairs.starts), (pairs.rarer_site, pairs.rarer_starts)
            )
    where candidates.site <> step.site
    qualify
        row_number() over (
            order by
                is_nested desc,
                pairs.is_fixed desc,
                candidates.score desc,
                candidates.turns desc,
                candidates.site asc
        ) = 1
)

select
    step.site,
    step.starts,
    step.turns,
    case when rivals.is_nested then step.alike else step.same end as sure,
    rivals.site as rival_site,
    rivals.is_nested as rival_is_inside,
    rivals.least_number as between_least,
    rivals.most_number as between_most
from step
left join rivals on true;
