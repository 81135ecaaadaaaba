-- Why the last arrival of each collective was late: whose computing it was, or whom the previous collective released last.
--
-- The rank that enters last need not be the one that is slow: its neighbours wait for the slow rank in a halo exchange and enter after it, and a tree releases
-- some ranks later than others. Late is who comes after the faster members (`lower_quartile`), for the median is slow itself where half of them are. Lateness
-- is the time from that enter to the last one. The path that led to the last arrival (`lead`) names the possible causes. A rank on it is the cause if, since
-- its previous collective, it computed longer than the faster members by at least half of the lateness; only computing that lies on the path counts. Members
-- that computed longer and entered later by nine tenths of what the cause did are as late: they share the blame, or the last few microseconds would decide
-- which of them has it.
--
-- If no rank did, the rank on which the path begins was released late if it left its previous collective later than the faster members by at least half of the
-- lateness. A collective cannot hold a rank up for longer than the rank was in it. Where the others did not wait for a rank there (a broadcast need not wait
-- for a late receiver), it leaves late because it came late. That part of the lateness is subtracted: nothing here has to explain it.
--
-- One row per complete collective with such a path, or several where members share the blame: cause_part is each one's part of it, excess_ns how much longer it
-- computed. Both ranks may be null.
--
-- uses lower_quartile
create or replace view causes as
with leads as materialized (
    select
        path_stretches.path_collective_id as collective_id,
        path_stretches.rank,
        min(path_stretches.step) as step,
        coalesce(
            sum(path_stretches.end_ns - path_stretches.begin_ns) filter (where path_stretches.category = 'compute'), 0
        ) as compute_ns
    from path_stretches
    inner join collectives on path_stretches.path_collective_id = collectives.collective_id
    where path_stretches.path = 'lead' and collectives.complete
    group by path_stretches.path_collective_id, path_stretches.rank
),

-- A list carries what the ranks on the path computed: `calls` is read once.
usual as materialized (
    select
        calls.collective_id,
        lower_quartile(calls.computed_ns) as computed_ns,
        lower_quartile(calls.released_ns) as released_ns,
        lower_quartile(calls.enter_ns) as enter_ns,
        max(calls.enter_ns) - lower_quartile(calls.enter_ns) as lateness_ns,
        list(row(calls.rank, calls.computed_ns, calls.released_ns, calls.prev_call_id))
        filter (where leads.rank is not null) as led
    from calls
    left join leads on calls.collective_id = leads.collective_id and calls.rank = leads.rank
    group by calls.collective_id
),

led as (
    select
        collective_id,
        unnest(led) as found
    from usual
),

-- A path may also lead over ranks that are not members.
blamed as (
    select
        leads.collective_id,
        leads.rank,
        leads.step,
        least(led.found[2] - usual.computed_ns, leads.compute_ns) as excess_ns,
        led.found[3] as left_ns,
        led.found[3] - usual.released_ns as released_ns,
        led.found[4] as prev_call_id,
        usual.lateness_ns
    from leads
    inner join usual on leads.collective_id = usual.collective_id
    left join led on leads.collective_id = led.collective_id and leads.rank = led.found[1]
),

ranked as (
    select
        collective_id,
        arg_max(rank, row(excess_ns, -rank)) as worst_rank,
        max(excess_ns) as excess_ns,
        arg_min(rank, step) as first_rank,
        arg_min(left_ns, step) as left_ns,
        arg_min(released_ns, step) as released_ns,
        arg_min(prev_call_id, step) as prev_call_id,
        any_value(lateness_ns) as lateness_ns
    from blamed
    group by collective_id
),

explained as (
    select
        ranked.collective_id,
        ranked.worst_rank,
        ranked.excess_ns,
        ranked.first_rank,
        ranked.lateness_ns,
        least(ranked.released_ns, ranked.left_ns - before.enter_ns) as released_ns,
        (
            ranked.lateness_ns
            - greatest(coalesce(ranked.released_ns - (ranked.left_ns - before.enter_ns), 0), 0)
        ) / 2 as half_lateness_ns
    from ranked
    left join calls as before on ranked.prev_call_id = before.call_id
),

named as materialized (
    select
        collective_id,
        excess_ns,
        lateness_ns,
        case when excess_ns > 0 and excess_ns >= half_lateness_ns then worst_rank end as cause_rank,
        case
            when excess_ns > 0 and excess_ns >= half_lateness_ns then null
            when released_ns > 0 and released_ns >= half_lateness_ns then first_rank
        end as released_rank
    from explained
),

equally_late as (
    select
        calls.collective_id,
        calls.rank,
        calls.computed_ns - usual.computed_ns as excess_ns
    from calls
    inner join named on calls.collective_id = named.collective_id
    inner join usual on calls.collective_id = usual.collective_id
    where
        calls.rank = named.cause_rank
        or (
            named.cause_rank is not null
            and calls.computed_ns - usual.computed_ns >= 0.9 * named.excess_ns
            and calls.enter_ns - usual.enter_ns >= 0.9 * named.lateness_ns
        )
)

select
    named.collective_id,
    equally_late.rank as cause_rank,
    1 / count(*) over (partition by named.collective_id) as cause_part,
    equally_late.excess_ns,
    named.released_rank
from named
left join equally_late on named.collective_id = equally_late.collective_id;
