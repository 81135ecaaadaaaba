-- Whether collectives take longer than in another run, by operation and place in the program.
--
-- Collectives of two runs are aligned by operation, communicator and place, which is the function and source line that
-- called them. Another build may have shifted the lines. What differs is then aligned by the function, if either run
-- calls the operation there from one place only, and else by the order of first use, if both runs have equally many
-- left; a note says so. For each, this compares the median and the tails (p95, p99) of a time: `took` from the last
-- enter to the last leave, which a tree can change; `duration` from the first enter to the last leave; `spread` from
-- the first enter to the last.
--
-- The test is a circular block bootstrap of the difference. Neighbouring collectives resemble one another, and a test
-- that treats them as independent reports differences that do not exist. So it draws runs of neighbours, four times as
-- long as the autocorrelation of the times lasts; if the run is too short for that, it widens the error instead.
-- change_low and change_high are the difference minus and plus Student's t times the standard error of the draws; they
-- hold for all rows together with 95 % (Bonferroni). verdict is `slower` or `faster` if both lie beyond `--least` times
-- the base's value, `same` if both lie within it, and else `undecided`, as it is with fewer than 5 blocks or fewer than
-- 10 values beyond the quantile. It is `new` or `gone` if one run lacks the collective.
--
-- An iteration is one collective of the operation on the communicator, from any place, plus all that happens up to the
-- next one: the mean distance of their successive last leaves. That is what `analyze remap` predicts (`measured_ns` there
-- is base_iteration_ns here); it is shown beside each row and not tested.
--
-- One run shows how its own collectives vary, but not how runs differ from one another. On a shared machine that is far
-- more: two runs of one program really do differ, and the test finds it. So with one run of each, `slower` is null, and
-- no gate passes or fails by it. Give several of each (`--base-also`, `--also`; three or more). The values are then
-- means over the runs, and the error covers how far apart the runs of a side are, if that is more (a t-test over runs,
-- of both sides together). Alternate the runs of both sides, so that both see the same loads.
--
-- grain by = operation
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- Another run of the same program as the base.
-- param also TRACES = null -- Another run of the same program as the new one.
-- param measure took|duration|spread = "took" -- The time to compare.
-- param statistic all|median|p95|p99 = "all" -- Only this statistic; p95 needs 200 collectives per run, p99 1,000.
-- param least DOUBLE = 0.05 -- Ignore changes smaller than this part of the base's value.
-- key operation, place, comm, statistic
-- column operation VARCHAR -- The MPI function.
-- column place VARCHAR -- Where it was called from, in the new run (in the base, if gone).
-- column base_place VARCHAR -- Where it was called from in the base; null if only the new run has it.
-- column comm INTEGER -- The communicator.
-- column statistic VARCHAR -- median, p95 or p99.
-- column base_ns DOUBLE -- Its value in the base.
-- column new_ns DOUBLE -- Its value in the new run.
-- column difference_ns DOUBLE -- The difference; below zero is faster.
-- column change DOUBLE [share] -- The difference as part of the base's value.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column base_iteration_ns DOUBLE -- Mean time per iteration of the operation in the base; null with fewer than two.
-- column new_iteration_ns DOUBLE -- The same in the new run.
-- column p_value DOUBLE -- How often chance alone would show such a difference; over all rows together.
-- column verdict VARCHAR -- slower, faster, same, undecided, new or gone.
-- column slower BOOLEAN -- Whether the verdict is slower; null if it is undecided or there is only one run of each.
-- column base_runs BIGINT -- Runs of the base that have it.
-- column new_runs BIGINT -- New runs that have it.
-- column base_collectives BIGINT -- Complete collectives in the base, of all its runs.
-- column new_collectives BIGINT -- Complete collectives in the new runs.
-- column blocks BIGINT -- Blocks of the run that has fewest; null where there is no test.
-- column aligned VARCHAR -- How the places of both runs were matched: by `place`, `function` or `order` of first use.
-- only-data base_place, slower, aligned, p_value, blocks, base_runs, new_runs
-- narrow base_collectives, new_collectives, change_low, comm, place, base_iteration_ns, difference_ns
-- exact base_collectives, new_collectives
-- uses collective_sites
-- then verdicts.compare_times -- The block bootstrap and the alignment.
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
