-- The limit of lateness: a rank is late if it computes longer than a collective's faster members by more than this.
--
-- One row. limit_ns is a twentieth of the time that passes per collective, because a limit in ms would miss every delay
-- in a run with short iterations. If the run has iterations (is_iteration), that time is the median iteration
-- (`iteration_cuts`) divided by `collectives`, the number of collectives that the first rank calls in it: a rank may be
-- late before each of them. Otherwise it is the median time from one collective to the next.
--
-- uses first_rank_calls, iteration_cuts
create or replace view lateness_limit as
with cuts as materialized (
    select
        iteration,
        begin_ns
    from iteration_cuts
),

iteration_times as (
    select begin_ns - lag(begin_ns) over (order by iteration) as time_ns
    from cuts
),

collectives_per_iteration as (
    select
        cuts.iteration,
        count(*) as collectives
    from first_rank_calls
    asof inner join cuts on first_rank_calls.begin_ns >= cuts.begin_ns
    where first_rank_calls.comm_size > 1
    group by cuts.iteration
),

times_between as (
    select leave_ns - released_ns as time_ns
    from whole_calls
    where released_ns is not null and not exists (from cuts)
),

medians as (
    select
        (select median(iteration_times.time_ns) from iteration_times) as iteration_ns,
        (
            select quantile_disc(collectives_per_iteration.collectives, 0.5) from collectives_per_iteration
        ) as collectives,
        (select median(times_between.time_ns) from times_between) as between_ns
)

select
    iteration_ns is not null as is_iteration,
    case when iteration_ns is not null then coalesce(collectives, 1) end as collectives,
    coalesce(iteration_ns / coalesce(collectives, 1), between_ns, 0) / 20 as limit_ns
from medians;
