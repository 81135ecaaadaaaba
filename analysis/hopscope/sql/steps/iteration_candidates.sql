-- Candidates for the call that divides the run into iterations, and how alike the turns between its calls are.
--
-- A trace does not show the program's loop, but a loop repeats a sequence of calls. A candidate is a place on the first
-- rank that is called three times or more, over at least half of the looping time. It divides the run into turns, by
-- all its calls or only by those that are starts (`first_rank_calls`). The looping time lies between the first and the
-- last call of any place that is called five times or more, so set-up that happens once does not count. Of places
-- called equally often, one represents all: that of a collective with the most ranks, or else the first one.
--
-- One row per way to divide the run. same is the share of turns that make the commonest sequence of calls; alike is the
-- share of turns that call the commonest set of places, however often each. of_time is the share of the time that alike
-- turns make up. Each of them counts with the lower quartile of their times, because disturbances of the machine make
-- others longer. Any other turn counts as alike for up to this time. So work that a step does only now and then matters
-- little. But a short loop in a step makes up little time, because its last turn contains the step's work.
--
-- is_whole is true if the turns cannot be those of a loop over a rank's neighbours, because a turn has a collective of
-- the most ranks, or such a loop in it. covered is the share of the looping time from the first call to the last. calls
-- is the number of calls in the commonest turn, of_site the number of all calls from this place.
--
-- uses first_rank_calls
create or replace view iteration_candidates as
with calls_seen as materialized (
    select
        *,
        hash(site) as site_hash,
        lag(n) over (partition by site order by n) as before_n
    from first_rank_calls
),

loops as (
    select
        min(begin_ns) as begin_ns,
        max(begin_ns) as end_ns
    from calls_seen
    group by site
    having count(*) >= 5
),

-- Loops may overlap, so a loop counts only from the end of the earlier ones.
loops_in_order as (
    select
        begin_ns,
        end_ns,
        max(end_ns) over (
            order by begin_ns, end_ns rows between unbounded preceding and 1 preceding
        ) as earlier_end_ns
    from loops
),

-- The looping time. If no place is called five times, it is the time between the first call and the last, because
-- --iteration-at may name a place that is called less often.
span as (
    select
        coalesce(
            sum(greatest(end_ns - greatest(begin_ns, coalesce(earlier_end_ns, begin_ns)), 0)),
            (select max(calls_seen.begin_ns) - min(calls_seen.begin_ns) from calls_seen)
        ) as time_ns
    from loops_in_order
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
        bool_or(calls_seen.is_place) as is_place,
        min(calls_seen.n) as first_n,
        max(calls_seen.begin_ns) - min(calls_seen.begin_ns) as covered_ns,
        max(count(*)) over (partition by calls_seen.site) as calls
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
    having count(*) >= case when part_iteration_at() is null then 3 else 2 end
),

markers as materialized (
    select
        row_number() over (order by sites.turns, sites.starts, sites.first_n) as marker,
        sites.site,
        sites.starts,
        sites.turns,
        sites.comm_size,
        sites.is_place,
        sites.calls as of_site,
        least(sites.covered_ns / nullif(span.time_ns, 0), 1) as covered
    from sites
    cross join span
    where
        (sites.covered_ns >= 0.5 * span.time_ns or part_iteration_at() is not null)
        and (not sites.starts or 2 * sites.turns <= sites.calls + 1)
    -- Starts represent places called equally often only if their communicator is larger.
    qualify
        row_number() over (
            partition by sites.turns
            order by sites.comm_size desc, sites.starts asc, sites.first_n asc
        ) = 1
        or (
            not sites.starts
            and row_number() over (
                partition by sites.turns, sites.starts
                order by sites.comm_size desc, sites.first_n asc
            ) = 1
        )
    order by sites.turns
    limit 32
),

-- For each candidate, each call with the first call of its turn.
turned as (
    select
        markers.marker,
        calls_seen.n,
        calls_seen.before_n,
        calls_seen.begin_ns,
        calls_seen.site_hash,
        calls_seen.comm_size,
        calls_seen.site = markers.site as is_marker,
        max(calls_seen.n) filter (
            where calls_seen.site = markers.site and (calls_seen.is_start or not markers.starts)
        ) over (partition by markers.marker order by calls_seen.n) as first_n
    from markers
    cross join calls_seen
),

turns as (
    select
        marker,
        first_n,
        count(*) as calls,
        max(comm_size) as comm_size,
        count(*) filter (where is_marker) as own_calls,
        sum(hash(site_hash, n - first_n)::hugeint) as in_order,
        coalesce(sum(site_hash::hugeint) filter (where coalesce(before_n < first_n, true)), 0) as of_places,
        lead(min(begin_ns)) over (partition by marker order by first_n) - min(begin_ns) as time_ns
    from turned
    where first_n is not null
    group by marker, first_n
),

-- The last turn has no end.
whole_turns as materialized (
    from turns
    where time_ns is not null
),

sequences as (
    select
        marker,
        count(*) as number
    from whole_turns
    group by marker, in_order
),

in_order as (
    select
        marker,
        max(number) / sum(number) as share
    from sequences
    group by marker
),

commonest as (
    select
        marker,
        of_places,
        min(calls) as calls,
        min(own_calls) as own_calls,
        max(comm_size) as comm_size
    from whole_turns
    group by marker, of_places
    qualify row_number() over (partition by marker order by count(*) desc, of_places asc) = 1
),

usual as (
    select
        whole_turns.marker,
        commonest.calls,
        commonest.own_calls,
        commonest.comm_size,
        count(*) filter (where whole_turns.of_places = commonest.of_places) as number,
        count(*) filter (where whole_turns.of_places <> commonest.of_places) as deviations,
        coalesce(
            quantile_cont(whole_turns.time_ns, 0.25) filter (where whole_turns.of_places = commonest.of_places), 0
        ) as time_ns,
        coalesce(
            quantile_cont(whole_turns.time_ns, 0.25) filter (where whole_turns.of_places <> commonest.of_places), 0
        ) as others_ns
    from whole_turns
    inner join commonest on whole_turns.marker = commonest.marker
    group by whole_turns.marker, commonest.calls, commonest.own_calls, commonest.comm_size
)

select
    markers.site,
    markers.starts,
    markers.turns,
    markers.comm_size,
    markers.is_place,
    markers.of_site,
    markers.covered,
    usual.calls,
    in_order.share as same,
    usual.number / (usual.number + usual.deviations) as alike,
    (usual.number * usual.time_ns + usual.deviations * least(usual.time_ns, usual.others_ns))
    / nullif(usual.number * usual.time_ns + usual.deviations * usual.others_ns, 0) as of_time,
    markers.starts or usual.comm_size = (select greatest(max(calls_seen.comm_size), 1) from calls_seen) as is_whole
from markers
inner join in_order on markers.marker = in_order.marker
inner join usual on markers.marker = usual.marker
-- Starts only count if a turn calls their place twice or more.
where not markers.starts or usual.own_calls > 1;
