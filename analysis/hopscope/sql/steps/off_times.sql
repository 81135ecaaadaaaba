-- The number of ranks whose recording was off at times, and the sum of these times.
--
-- If several threads of a rank were off, the longest time of a thread counts.
create or replace view off_times as
with off_threads as (
    select
        intervals.rank,
        sum(coalesce(intervals.end_ns, ranks.last_event_ns) - intervals.begin_ns) as time_ns
    from intervals
    inner join ranks on intervals.rank = ranks.rank
    where intervals.kind = 'off'
    group by intervals.rank, intervals.location
),

off_ranks as (
    select
        rank,
        max(time_ns) as time_ns
    from off_threads
    group by rank
)

select
    count(*) as ranks,
    coalesce(sum(time_ns), 0) as time_ns
from off_ranks;
