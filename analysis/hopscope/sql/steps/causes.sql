-- Causes of waiting in each collective: a rank that computed longer, or that the previous collective released last.
--
-- The path that leads to what the others waited for (`lead`) ends at the last enter or, if that is later, where the
-- chain of binding hops begins. Lateness is the time from when the faster members were ready (`lower_quartile`; the
-- median is late itself if half of them are) to the end of that path. Three parts explain the lateness: how much longer
-- than the faster members each rank on the path computed, as far as that computing lies on the path; how much later the
-- first rank of the path left the previous collective; and the path's messages. The rest is the unexplained part. The
-- largest part names the cause (delay costs: Böhme et al., ICPP 2010).
--
-- A rank reaches a nonblocking collective twice, at its start and in the call that waits for it. Its computing in
-- between counts if the path comes from that wait.
--
-- The previous collective cannot hold up a rank for longer than the rank was in it. A rank for which the others did not
-- wait there (a broadcast need not wait for a late receiver) left late only because it came late; that time is left
-- out. A member counts as equally late if its excess computing and its lateness are both at least nine tenths of the
-- cause's. Such members share the blame; otherwise the last few microseconds would decide who gets it.
--
-- One row per complete collective with such a path, or several if members share the blame. cause_part is a member's
-- part of the blame, excess_ns how much longer it computed. Both ranks may be null.
--
-- uses lower_quartile, own_computing
create or replace view causes as
with leads as materialized (
    select
        path_stretches.path_collective_id as collective_id,
        path_stretches.rank,
        min(path_stretches.step) as step,
        sum(path_stretches.end_ns - path_stretches.begin_ns)
        filter (where path_stretches.category = 'compute') as compute_ns
    from path_stretches
    inner join collectives on path_stretches.path_collective_id = collectives.collective_id
    where path_stretches.path = 'lead' and collectives.complete
    group by path_stretches.path_collective_id, path_stretches.rank
),

computing as materialized (
    select *
    from own_computing
    where at_ns is not null
),

usual as materialized (
    select
        collective_id,
        lower_quartile(computed_ns) as computed_ns,
        lower_quartile(released_ns) as released_ns,
        lower_quartile(ready_ns) as ready_ns,
        lower_quartile(came_ns) as came_ns,
        any_value(at_ns) as at_ns,
        any_value(message_ns) as message_ns
    from computing
    group by collective_id
),

-- A path may also lead over ranks that are not members.
blamed as (
    select
        leads.collective_id,
        leads.rank,
        leads.step,
        greatest(least(computing.computed_ns - usual.computed_ns, coalesce(leads.compute_ns, 0)), 0) as excess_ns,
        computing.released_ns as left_ns,
        computing.released_ns - usual.released_ns as released_ns,
        computing.prev_call_id
    from leads
    inner join usual on leads.collective_id = usual.collective_id
    left join computing on leads.collective_id = computing.collective_id and leads.rank = computing.rank
),

ranked as (
    select
        collective_id,
        arg_max(rank, row(excess_ns, -rank)) as worst_rank,
        max(excess_ns) as excess_ns,
        sum(excess_ns) as all_excess_ns,
        arg_min(rank, step) as first_rank,
        arg_min(left_ns, step) as left_ns,
        arg_min(released_ns, step) as released_ns,
        arg_min(prev_call_id, step) as prev_call_id
    from blamed
    group by collective_id
),

parts as (
    select
        ranked.collective_id,
        ranked.worst_rank,
        coalesce(ranked.excess_ns, 0) as excess_ns,
        coalesce(ranked.all_excess_ns, 0) as all_excess_ns,
        ranked.first_rank,
        usual.at_ns - usual.ready_ns as lateness_ns,
        usual.message_ns,
        greatest(coalesce(least(ranked.released_ns, ranked.left_ns - previous_calls.enter_ns), 0), 0) as released_ns,
        greatest(coalesce(ranked.released_ns - (ranked.left_ns - previous_calls.enter_ns), 0), 0) as own_ns
    from ranked
    inner join usual on ranked.collective_id = usual.collective_id
    left join calls as previous_calls on ranked.prev_call_id = previous_calls.call_id
),

named_ranks as materialized (
    select
        collective_id,
        excess_ns,
        lateness_ns,
        case
            when
                excess_ns > 0
                and excess_ns >= greatest(
                    released_ns, message_ns, lateness_ns - own_ns - all_excess_ns - released_ns - message_ns
                )
                then worst_rank
        end as cause_rank,
        case
            when
                released_ns > excess_ns
                and released_ns >= greatest(
                    message_ns, lateness_ns - own_ns - all_excess_ns - released_ns - message_ns
                )
                then first_rank
        end as released_rank
    from parts
    where lateness_ns > 0
),

equally_late as (
    select
        computing.collective_id,
        computing.rank,
        computing.computed_ns - usual.computed_ns as excess_ns
    from computing
    inner join named_ranks on computing.collective_id = named_ranks.collective_id
    inner join usual on computing.collective_id = usual.collective_id
    where
        computing.rank = named_ranks.cause_rank
        or (
            named_ranks.cause_rank is not null
            and computing.computed_ns - usual.computed_ns >= 0.9 * named_ranks.excess_ns
            and computing.came_ns - usual.came_ns >= 0.9 * named_ranks.lateness_ns
        )
)

select
    leads.collective_id,
    equally_late.rank as cause_rank,
    1 / greatest(count(*) over (partition by leads.collective_id), 1) as cause_part,
    equally_late.excess_ns,
    named_ranks.released_rank
from (select distinct leads.collective_id from leads) as leads
left join named_ranks on leads.collective_id = named_ranks.collective_id
left join equally_late on leads.collective_id = equally_late.collective_id;
