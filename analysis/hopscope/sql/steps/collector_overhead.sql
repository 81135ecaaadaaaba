-- Share of the ranks' time that the collector took for itself.
--
-- Only the time between the first and the last communication counts: start-up is reported elsewhere.
--
-- uses run_bounds, share_of
create or replace view collector_overhead as
select
    share_of(
        sum(
            greatest(least(intervals.end_ns, run_bounds.last_ns) - greatest(intervals.begin_ns, run_bounds.first_ns), 0)
        ),
        any_value(
            (run_bounds.last_ns - run_bounds.first_ns)
            * (
                select count(*) as number
                from ranks
            )
        )
    ) as overhead_share
from intervals
cross join run_bounds
where intervals.kind = 'overhead';
