-- The rank that entered each collective last, and whether the clocks can tell.
--
-- One row per complete collective of at least two ranks. margin_ns is the time from the previous rank's enter to the
-- last. decided is false if another rank's enter is so near that the clocks of the two machines may be further apart.
--
-- uses latest_enters, clock_error, block_of
create or replace view last_enters as
with latest as (
    select
        latest_enters.*,
        ranks.clock_host
    from latest_enters
    left join ranks on latest_enters.rank = ranks.rank
),

other_enters as (
    select
        latest.collective_id,
        latest.rank,
        latest.enter_ns,
        latest.comm_size,
        latest.enter_ns - calls.enter_ns as ahead_ns,
        clock_error(latest.clock_host, ranks.clock_host) as error_ns
    from calls
    inner join latest on calls.collective_id = latest.collective_id and calls.rank <> latest.rank
    left join ranks on calls.rank = ranks.rank
)

select
    collective_id,
    any_value(rank) as rank,
    any_value(enter_ns) as enter_ns,
    any_value(comm_size) as comm_size,
    min(ahead_ns) as margin_ns,
    min(ahead_ns - error_ns) > 0 as decided,
    block_of(row_number() over (order by collective_id) - 1, count(*) over ()) as block
from other_enters
group by collective_id;
