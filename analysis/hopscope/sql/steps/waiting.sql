-- Each rank's waiting in each complete collective, and the rank that it waited for.
--
-- needed_rank is the first rank in the chain of hops that this rank waited for. If the hops do not show it, needed_rank
-- is the latest of the ranks that this rank had to wait for by the rules of its operation (`operation_kind`). A rank
-- reaches a nonblocking collective at its start, and again where it waits for it. waiting_ns is the time until
-- needed_rank entered, from this rank's enter or, for a nonblocking collective, from the begin of its wait. All of this
-- time is charged to needed_rank, so that sums add up. A rank waited 0 if it had to wait for no other rank, or only for
-- ranks that had entered before it.
--
-- uses operation_kind, members, latest_enters
create or replace view waiting as
with collective_kinds as materialized (
    select
        collectives.collective_id,
        collectives.comm,
        operation_kind(collectives.op) as kind,
        roots.rank as root_rank
    from collectives
    left join members as roots on collectives.comm = roots.comm and collectives.root = roots.comm_rank
    where collectives.complete and collectives.comm_size > 1
),

-- The rank that the others need in each collective; in scans each rank needs another one.
needed_ranks as (
    select
        collective_kinds.collective_id,
        collective_kinds.kind,
        collective_kinds.root_rank,
        latest_enters.rank,
        latest_enters.enter_ns
    from collective_kinds
    inner join latest_enters on collective_kinds.collective_id = latest_enters.collective_id
    where collective_kinds.kind in ('all', 'to root')

    union all
    select
        collective_kinds.collective_id,
        collective_kinds.kind,
        collective_kinds.root_rank,
        calls.rank,
        calls.enter_ns
    from collective_kinds
    inner join calls on collective_kinds.collective_id = calls.collective_id and collective_kinds.root_rank = calls.rank
    where collective_kinds.kind = 'from root'
),

-- The latest enter at or below each rank, for the scans.
scanned as (
    select
        calls.collective_id,
        calls.rank,
        coalesce(calls.wait_begin_ns, calls.enter_ns) as ready_ns,
        calls.needed_rank is not null as has_needed_rank,
        collective_kinds.kind,
        max(row(calls.enter_ns, -calls.rank)) over (
            partition by calls.collective_id order by members.comm_rank
            rows between unbounded preceding and current row
        ) as latest,
        max(row(calls.enter_ns, -calls.rank)) over (
            partition by calls.collective_id order by members.comm_rank
            rows between unbounded preceding and 1 preceding
        ) as latest_below
    from calls
    inner join collective_kinds on calls.collective_id = collective_kinds.collective_id
    inner join members on collective_kinds.comm = members.comm and calls.rank = members.rank
    where collective_kinds.kind in ('scan', 'exscan')
),

waits as (
    select
        calls.collective_id,
        calls.rank,
        calls.needed_rank,
        calls.needed_ns - coalesce(calls.wait_begin_ns, calls.enter_ns) as until_ns
    from calls
    inner join collective_kinds on calls.collective_id = collective_kinds.collective_id
    where calls.needed_rank is not null

    union all
    select
        calls.collective_id,
        calls.rank,
        needed_ranks.rank as needed_rank,
        needed_ranks.enter_ns - coalesce(calls.wait_begin_ns, calls.enter_ns) as until_ns
    from calls
    inner join needed_ranks on calls.collective_id = needed_ranks.collective_id
    where calls.needed_rank is null and (needed_ranks.kind <> 'to root' or calls.rank = needed_ranks.root_rank)

    union all
    select
        collective_id,
        rank,
        -case when kind = 'scan' then latest[2] else latest_below[2] end as needed_rank,
        case when kind = 'scan' then latest[1] else latest_below[1] end - ready_ns as until_ns
    from scanned
    where not has_needed_rank and (kind = 'scan' or latest_below is not null)
)

select
    collective_id,
    rank,
    needed_rank,
    greatest(until_ns, 0) as waiting_ns
from waits
where needed_rank <> rank;
