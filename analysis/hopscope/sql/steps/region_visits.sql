-- The visits to the program's regions, of each thread.
--
-- A region inside another of the same name counts once: only the outermost visits have rows. A visit that did not end
-- lasts to the rank's last event.
create or replace view region_visits as
with region_intervals as (
    select
        intervals.region,
        intervals.rank,
        intervals.location,
        intervals.begin_ns,
        coalesce(intervals.end_ns, ranks.last_event_ns) as end_ns
    from intervals
    inner join ranks on intervals.rank = ranks.rank
    where intervals.kind = 'region'
),

nested_intervals as (
    select
        *,
        max(end_ns) over (
            partition by region, location
            order by begin_ns asc, end_ns desc
            rows between unbounded preceding and 1 preceding
        ) as open_until
    from region_intervals
)

select
    region,
    rank,
    location,
    begin_ns,
    end_ns
from nested_intervals
where open_until is null or begin_ns >= open_until;
