-- Whether the run takes longer than another one, per iteration, and what it spends that time on.
--
-- The first row, `whole`, is the time of an iteration of the whole run. The others are its activities: they divide the critical path of each
-- iteration, so they add up to it. `compute` is time outside all MPI, `p2p` the program's own messages and the waits for them, an MPI function is
-- that collective, and the rest are the categories of `analyze critical-path`. A rank that computes longer makes `compute` longer, and not the
-- collective in which others wait for it.
--
-- It begins with one sentence on the whole run: what became of its time, and of the activities that changed most.
--
-- All values are means per iteration. The first iteration, which includes set-up, is left out. Iterations are those of `--from i:10`; the two runs'
-- must begin at a call of the same MPI function, and of the same function of the program where both are known. Where they do not, or a run has
-- none, `per` is `run`: the time from the first communication to the last.
--
-- The test is the one of `--by operation`, over iterations. change_low and change_high hold for all rows together with 95 %. verdict is `slower` or
-- `faster` if both lie beyond `--least` times the base's `whole`, `same` if both lie within it, and else `undecided`. Of fewer than 15 iterations,
-- and of whole runs, only several runs of each have an interval.
--
-- One run of each shows how its iterations vary and not how runs differ: slower is null then, as it is where the verdict is undecided. A gate on
-- `change_low` fails only where the change is proven, and passes where it is undecided. Give it three runs of each.
--
-- grain by = activity default
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- Another run of the same program as the base.
-- param also TRACES = null -- Another run of the same program as the new one.
-- param least DOUBLE = 0.02 -- Ignore changes smaller than this part of the base's time per iteration.
-- key activity
-- column activity VARCHAR -- whole, compute, p2p, the MPI function of a collective, or another category of the critical path.
-- column base_ns DOUBLE -- Its time per iteration in the base.
-- column new_ns DOUBLE -- Its time per iteration in the new run.
-- column difference_ns DOUBLE -- The difference; below zero is faster.
-- column change DOUBLE [share] -- The difference as part of the base's value. Null where that is 0.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column verdict VARCHAR -- slower, faster, same or undecided.
-- column slower BOOLEAN -- Whether the verdict is slower; null if it is undecided or there is only one run of each.
-- column sentence VARCHAR -- The row in words; of `whole`, what changed most.
-- column per VARCHAR -- iteration, or run where the two runs have no iterations in common.
-- column base_runs BIGINT -- Runs of the base.
-- column new_runs BIGINT -- New runs.
-- column base_iterations BIGINT -- Iterations of the base that count, of all its runs.
-- column new_iterations BIGINT -- Iterations of the new runs that count.
-- headline sentence
-- only-data slower, sentence, base_runs, new_runs, base_iterations, new_iterations
-- narrow per, change_low
-- exact base_runs, new_runs
-- uses run_path_pieces, iteration_cuts, iteration_calls, iteration_marker
-- then verdicts.compare_activities -- The bootstrap over iterations.
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

-- The first iteration sets up what the others use.
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
