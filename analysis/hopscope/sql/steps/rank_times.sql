-- Each rank's time in the selected part of the run.
--
-- The time lasts from the rank's first event to its last, as far as it lies in the part. Shares of rank time refer to
-- the sum over all ranks.
create or replace view rank_times as
select
    rank,
    greatest(coalesce(least(last_event_ns, part_to_ns()) - greatest(first_event_ns, part_from_ns()), 0), 0) as time_ns
from ranks
where part_ranks() is null or list_contains(part_ranks(), rank);
