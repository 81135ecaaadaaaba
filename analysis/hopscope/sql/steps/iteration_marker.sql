-- The call that every iteration of the program's main loop makes once, and how sure that is.
--
-- A trace does not know the program's loop, but the loop repeats a sequence of calls. Of the places on the first rank that are called five times or more over
-- at least half of the run, each parts the run into turns, by all its calls or only by those that are starts (`first_rank_calls`); its score is the part of them, by number and by time (the smaller), that consists of the same
-- sequence of calls. The best score wins, times the part of the run that the turns cover; of those within 5 % of it the one with the fewest turns, because
-- the outermost loop is the one that people mean. Of places called equally often, a collective of the most ranks stands for all, then the first. One row
-- or none: a sequence that makes up less than half of the turns is no loop. sure is the score.
--
-- uses first_rank_calls
create or replace view iteration_marker as
with calls_seen as materialized (
    select * from first_rank_calls
),

span as (
    select max(begin_ns) - min(begin_ns) as time_ns from calls_seen
),

ways as (
    select unnest([false, true]) as starts
),

sites as (
    select
        calls_seen.site,
        ways.starts,
        count(*) as turns,
        max(calls_seen.comm_size) as comm_size,
        min(calls_seen.n) as first_n,
        max(calls_seen.begin_ns) - min(calls_seen.begin_ns) as covered_ns
    from calls_seen
    cross join ways
    left join places on calls_seen.site = places.call_site
    where
        (
            part_iteration_at() is null
            or (
                (contains(calls_seen.site, part_iteration_at()) or contains(places.place, part_iteration_at()))
                and not ways.starts
            )
        )
        and (calls_seen.is_start or not ways.starts)
    group by calls_seen.site, ways.starts
    having count(*) >= 5
),

candidates as (
    select
        sites.site,
        sites.starts,
        sites.turns,
        sites.covered_ns / nullif(span.time_ns, 0) as covered
    from sites
    cross join span
    where sites.covered_ns >= 0.5 * span.time_ns or part_iteration_at() is not null
    qualify
        row_number() over (
            partition by sites.turns
            order by sites.comm_size desc, sites.starts asc, sites.first_n asc
        ) = 1
    order by sites.turns
    limit 24
),

-- Each call with the turn that it belongs to, for each candidate.
turned as (
    select
        row(candidates.site, candidates.starts) as marker,
        calls_seen.n,
        calls_seen.begin_ns,
        calls_seen.site,
        count(*) filter (
            where calls_seen.site = candidates.site and (calls_seen.is_start or not candidates.starts)
        ) over (partition by candidates.site, candidates.starts order by calls_seen.n) as turn
    from candidates
    cross join calls_seen
),

placed as (
    select
        *,
        n - min(n) over (partition by marker, turn) as place
    from turned
    where turn > 0
),

turns as (
    select
        marker,
        turn,
        sum(hash(site, place)::hugeint) as calls_made,
        lead(min(begin_ns)) over (partition by marker order by turn) - min(begin_ns) as time_ns
    from placed
    group by marker, turn
),

-- The last turn has no end of its own.
alike as (
    select
        marker,
        calls_made,
        count(*) / sum(count(*)) over (partition by marker) as of_turns,
        sum(time_ns) / nullif(sum(sum(time_ns)) over (partition by marker), 0) as of_time
    from turns
    where time_ns is not null
    group by marker, calls_made
),

scored as (
    select
        candidates.site,
        candidates.starts,
        candidates.turns,
        max(least(alike.of_turns, alike.of_time)) as sure,
        max(least(alike.of_turns, alike.of_time)) * candidates.covered as score
    from alike
    inner join candidates on alike.marker = row(candidates.site, candidates.starts)
    group by candidates.site, candidates.starts, candidates.turns, candidates.covered
)

select
    site,
    starts,
    turns,
    sure
from scored
where
    score >= 0.95 * (select max(best.score) from scored as best)
    and (sure >= 0.5 or part_iteration_at() is not null)
order by turns asc, site asc
limit 1;
