-- How long each rank waited in each complete collective, and for whom.
--
-- needed_rank is the latest of the ranks that this one had to wait for by the rules of its operation (`operation_kind`); waiting_ns is the time from its own
-- enter, or from where it began to wait for a nonblocking one, to that rank's enter, and is charged wholly to that rank, so that sums add up. A rank that
-- had to wait for nobody, or only for such as had entered before it, waited 0.
--
-- uses operation_kind, members, last_enters
create or replace view waiting as
with asked as materialized (
    select
        collectives.collective_id,
        collectives.comm,
        operation_kind(collectives.op) as kind,
        roots.rank as root_rank
    from collectives
    left join members as roots on collectives.comm = roots.comm and collectives.root = roots.comm_rank
    where collectives.complete and collectives.comm_size > 1
),

entered as (
    select
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        coalesce(calls.wait_begin_ns, calls.enter_ns) as ready_ns,
        asked.comm,
        asked.root_rank,
        asked.kind
    from calls
    inner join asked on calls.collective_id = asked.collective_id
),

-- The latest enter at or below each rank, for the scans.
scanned as (
    select
        entered.collective_id,
        entered.rank,
        entered.ready_ns,
        entered.kind,
        max(row(entered.enter_ns, -entered.rank)) over (
            partition by entered.collective_id order by members.comm_rank
            rows between unbounded preceding and current row
        ) as latest,
        max(row(entered.enter_ns, -entered.rank)) over (
            partition by entered.collective_id order by members.comm_rank
            rows between unbounded preceding and 1 preceding
        ) as latest_below
    from entered
    inner join members on entered.comm = members.comm and entered.rank = members.rank
    where entered.kind in ('scan', 'exscan')
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
    where entered.kind = 'all' or (entered.kind = 'to root' and entered.rank = entered.root_rank)

    union all
    select
        entered.collective_id,
        entered.rank,
        entered.ready_ns,
        roots.rank as needed_rank,
        roots.enter_ns as needed_ns
    from entered
    inner join entered as roots on entered.collective_id = roots.collective_id and roots.rank = roots.root_rank
    where entered.kind = 'from root' and entered.rank <> entered.root_rank

    union all
    select
        collective_id,
        rank,
        ready_ns,
        -case when kind = 'scan' then latest[2] else latest_below[2] end as needed_rank,
        case when kind = 'scan' then latest[1] else latest_below[1] end as needed_ns
    from scanned
    where kind = 'scan' or latest_below is not null
)

select
    collective_id,
    rank,
    needed_rank,
    greatest(needed_ns - ready_ns, 0) as waiting_ns
from needed
where needed_rank <> rank;
