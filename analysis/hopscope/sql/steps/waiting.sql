-- How long each rank waited in each complete collective, and for whom.
--
-- needed_rank is the latest of the ranks that this one had to wait for by the rules of its operation (`operation_kind`); waiting_ns is the time from its own
-- enter, or from where it began to wait for a nonblocking one, to that rank's enter, and is charged wholly to that rank, so that sums add up. A rank that
-- had to wait for nobody, or only for such as had entered before it, waited 0.
--
-- uses operation_kind, members, last_enters
create or replace view waiting as
with entered as (
    select
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        coalesce(calls.wait_begin_ns, calls.enter_ns) as ready_ns,
        members.comm_rank,
        collectives.root,
        operation_kind(collectives.op) as kind
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    inner join members on collectives.comm = members.comm and calls.rank = members.rank
    where collectives.complete and collectives.comm_size > 1
),

-- The latest enter at or below each rank, for the scans.
scanned as (
    select
        collective_id,
        rank,
        kind,
        max(row(enter_ns, -rank)) over (
            partition by collective_id order by comm_rank rows between unbounded preceding and current row
        ) as latest,
        max(row(enter_ns, -rank)) over (
            partition by collective_id order by comm_rank rows between unbounded preceding and 1 preceding
        ) as latest_below
    from entered
    where kind in ('scan', 'exscan')
),

needed as (
    select
        entered.collective_id,
        entered.rank,
        entered.ready_ns,
        last_enters.rank as needed_rank,
        last_enters.enter_ns as needed_ns
    from entered
    inner join last_enters on entered.collective_id = last_enters.collective_id
    where entered.kind = 'all' or (entered.kind = 'to root' and entered.comm_rank = entered.root)

    union all
    select
        entered.collective_id,
        entered.rank,
        entered.ready_ns,
        roots.rank as needed_rank,
        roots.enter_ns as needed_ns
    from entered
    inner join entered as roots on entered.collective_id = roots.collective_id and roots.comm_rank = roots.root
    where entered.kind = 'from root' and entered.comm_rank <> entered.root

    union all
    select
        entered.collective_id,
        entered.rank,
        entered.ready_ns,
        -case when scanned.kind = 'scan' then scanned.latest[2] else scanned.latest_below[2] end as needed_rank,
        case when scanned.kind = 'scan' then scanned.latest[1] else scanned.latest_below[1] end as needed_ns
    from entered
    inner join scanned on entered.collective_id = scanned.collective_id and entered.rank = scanned.rank
    where scanned.kind = 'scan' or scanned.latest_below is not null
)

select
    collective_id,
    rank,
    needed_rank,
    greatest(needed_ns - ready_ns, 0) as waiting_ns
from needed
where needed_rank <> rank;
