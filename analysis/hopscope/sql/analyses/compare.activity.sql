-- Time per iteration against another run, and the activities that changed.
--
-- The row `whole` is the mean time of an iteration, without the first. The other rows divide its critical path into
-- `compute`, `p2p` (the program's own messages), MPI functions, and other categories of `analyze critical-path`. If
-- the iterations of the two runs do not begin at calls of the same function, times are per run.
--
-- Intervals hold for all rows together. verdict is `slower` or `faster` if the row's interval lies beyond `--least`,
-- `same` if it lies within, else `undecided`. With fewer than 15 iterations, intervals need several runs of each side.
-- One run of a program does not show how its runs differ, so give three runs of each side.
--
-- grain by = activity default
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- Another run of the same program as the base.
-- param also TRACES = null -- Another run of the same program as the new one.
-- param least DOUBLE = 0.02 -- Ignore smaller changes, as a share of the base's iteration.
-- key activity
-- column activity VARCHAR -- whole, compute, p2p, an MPI function, or another category.
-- column base_ns DOUBLE -- Time per iteration in the base run.
-- column new_ns DOUBLE -- Time per iteration in the new run.
-- column difference_ns DOUBLE -- The difference; below zero is faster.
-- column change DOUBLE [share] -- The difference as a share of the base's time; null if that time is 0.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column verdict VARCHAR -- slower, faster, same or undecided.
-- column slower BOOLEAN -- True if verdict is slower; null if undecided or with one run of each.
-- column sentence VARCHAR -- The row in words; in the row `whole`, the largest change in words.
-- column per VARCHAR -- iteration, or run if the two runs have no iterations in common.
-- column base_runs BIGINT -- Number of base runs.
-- column new_runs BIGINT -- Number of new runs.
-- column base_iterations BIGINT -- Number of iterations of the base runs that count.
-- column new_iterations BIGINT -- Number of iterations of the new runs that count.
-- headline sentence
-- only-data slower, sentence, base_runs, new_runs, base_iterations, new_iterations
-- narrow per, change_low
-- exact base_runs, new_runs
-- uses run_path_pieces, iteration_cuts, iteration_calls, iteration_marker
-- then explain.compare_activities -- The bootstrap over iterations.
-- empty note neither run has a critical path
-- example analyze compare base trace
-- example analyze compare base trace --base-also base-2 --also trace-2 --fail-if "whole.change_low > 5%"
with stretches as materialized (
    select
        begin_ns,
        end_ns,
        case when collective_id is null then category else coalesce(op, category) end as activity
    from run_path_pieces
    where category not in ('startup', 'shutdown')
),

cuts as (
    select
        iteration,
        begin_ns,
        lead(begin_ns) over (order by iteration) as end_ns
    from iteration_cuts
),

-- All iterations but the first, which sets up what the others use.
iterations as materialized (
    select *
    from cuts
    where
        iteration > 0
        and end_ns is not null
        and begin_ns >= coalesce(part_from_ns(), begin_ns)
        and end_ns <= coalesce(part_to_ns(), end_ns)
),

marker as (
    select
        any_value(collectives.op) as op,
        any_value(places.function) as function
    from iteration_marker
    left join iteration_calls on true
    left join whole_collectives as collectives on iteration_calls.collective_id = collectives.collective_id
    left join places on iteration_marker.site = places.call_site
),

spent as (
    select
        stretches.activity,
        iterations.iteration,
        sum(least(stretches.end_ns, iterations.end_ns) - greatest(stretches.begin_ns, iterations.begin_ns)) as time_ns
    from stretches
    inner join iterations on stretches.begin_ns < iterations.end_ns and stretches.end_ns > iterations.begin_ns
    group by stretches.activity, iterations.iteration
),

activities as (
    select
        activity,
        sum(end_ns - begin_ns)::double as run_ns
    from stretches
    group by activity
)

select
    activities.activity,
    activities.run_ns,
    list(coalesce(spent.time_ns, 0)::double order by iterations.iteration)
    filter (where iterations.iteration is not null) as times,
    any_value(marker.op) as op,
    any_value(marker.function) as function
from activities
left join marker on true
left join iterations on true
left join spent on activities.activity = spent.activity and iterations.iteration = spent.iteration
group by activities.activity, activities.run_ns
order by activities.activity
