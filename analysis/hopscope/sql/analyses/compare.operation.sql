-- Time of collectives against another run, by operation and call site.
--
-- Collectives of the two runs are aligned by operation, communicator and call site; where lines have shifted, by
-- function or order of first use. `took` is the time after the last enter, `duration` the time from the first enter to
-- the last leave, `spread` the time from the first enter to the last.
--
-- verdict is undecided with fewer than 5 blocks of collectives, or with fewer than 10 values beyond the quantile. It is
-- `new` or `gone` if one run lacks the collective. Give three runs of each side, made alternately.
--
-- grain by = operation
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- Another run of the same program as the base.
-- param also TRACES = null -- Another run of the same program as the new one.
-- param measure took|duration|spread = "took" -- The time to compare.
-- param statistic all|median|p95|p99 = "all" -- Only this statistic; p95 needs 200 collectives per run, p99 1,000.
-- param least DOUBLE = 0.05 -- Ignore smaller changes, as a share of the base.
-- key operation, place, comm, statistic
-- column operation VARCHAR -- The MPI function.
-- column place VARCHAR -- Call site in the new run (in the base, if gone).
-- column base_place VARCHAR -- Call site in the base; null if only the new run has it.
-- column comm INTEGER -- The communicator.
-- column statistic VARCHAR -- median, p95 or p99.
-- column base_ns DOUBLE -- The statistic in the base run.
-- column new_ns DOUBLE -- The statistic in the new run.
-- column difference_ns DOUBLE -- The difference; below zero is faster.
-- column change DOUBLE [share] -- The difference as a share of the base.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column base_iteration_ns DOUBLE -- Mean time per iteration in the base run; null with fewer than two collectives.
-- column new_iteration_ns DOUBLE -- Mean time per iteration in the new run; null with fewer than two collectives.
-- column p_value DOUBLE -- Probability of such a difference by chance, over all rows.
-- column verdict VARCHAR -- slower, faster, same, undecided, new or gone.
-- column slower BOOLEAN -- True if verdict is slower; null if undecided or with one run of each.
-- column base_runs BIGINT -- Number of base runs.
-- column new_runs BIGINT -- Number of new runs.
-- column base_collectives BIGINT -- Number of complete collectives in the base runs.
-- column new_collectives BIGINT -- Number of complete collectives in the new runs.
-- column blocks BIGINT -- Blocks of the shortest run; null if untested.
-- column aligned VARCHAR -- How places were matched: place, function or order.
-- only-data base_place, slower, aligned, p_value, blocks, base_runs, new_runs
-- narrow base_collectives, new_collectives, change_low, comm, place, base_iteration_ns, difference_ns
-- exact base_collectives, new_collectives
-- uses collective_sites
-- then explain.compare_times -- The block bootstrap and the alignment.
-- empty note neither run has a complete collective
-- example analyze compare base trace --by operation --base-also base-2 --also trace-2 --statistic median --fail-if "*.slower == 1"
-- example analyze compare base trace --by operation --base-also base-2 --base-also base-3 --also trace-2 --also trace-3
select
    op,
    place,
    function,
    comm,
    (case $measure
        when 'took' then last_leave_ns - last_enter_ns
        when 'duration' then last_leave_ns - first_enter_ns
        else last_enter_ns - first_enter_ns
    end)::double as time_ns,
    (max(last_leave_ns) over same_call - min(last_leave_ns) over same_call)::double
    / nullif(count(*) over same_call - 1, 0) as iteration_ns
from collective_sites
where complete and last_leave_ns is not null
window same_call as (partition by op, comm)
order by collective_id
