-- Which rank entered each collective last, and whether the clocks can tell.
--
-- One row per complete collective of at least two ranks. margin_ns is the time to the rank before it. decided is false where any other rank's enter is so
-- near that the clocks of the two machines may be further apart.
--
-- uses clock_error, block_of
create or replace view last_enters as
-- Clocks are one within a machine, so of each machine its two latest enters decide.
with by_clock as (
    select
        calls.collective_id,
        ranks.clock_host,
        max(row(calls.enter_ns, -calls.rank), 2) as latest
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    left join ranks on calls.rank = ranks.rank
    where collectives.complete and collectives.comm_size > 1
    group by calls.collective_id, ranks.clock_host
),

entered as materialized (
    select
        collective_id,
        clock_host,
        unnest(latest)[1] as enter_ns,
        -unnest(latest)[2] as rank
    from by_clock
),

latest as (
    -- Of several equal enters the lowest rank's stands for all; they are undecided anyway.
    select
        collective_id,
        arg_max(rank, row(enter_ns, -rank)) as rank,
        max(enter_ns) as enter_ns,
        arg_max(clock_host, row(enter_ns, -rank)) as clock_host
    from entered
    group by collective_id
)

select
    latest.collective_id,
    latest.rank,
    latest.enter_ns,
    any_value(collectives.comm_size) as comm_size,
    latest.enter_ns - max(entered.enter_ns) as margin_ns,
    bool_and(latest.enter_ns - entered.enter_ns > clock_error(latest.clock_host, entered.clock_host)) as decided,
    block_of(
        row_number() over (order by latest.collective_id) - 1,
        count(*) over ()
    ) as block
from latest
inner join entered on latest.collective_id = entered.collective_id and latest.rank <> entered.rank
inner join collectives on latest.collective_id = collectives.collective_id
group by latest.collective_id, latest.rank, latest.enter_ns;
