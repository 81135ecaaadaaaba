-- Whether a run's collectives take longer than another run's, by operation and place in the program.
--
-- Collectives of two runs are aligned by operation, call site and communicator; call sites that only one run has, as after
-- a new build, are aligned by their order of first use where both runs have as many. Of each it compares the median and
-- the tails (p95, p99) of a time: `took` from the last enter to the last leave, which a tree can change; `duration` from the
-- first enter to the last leave; `spread` from the first enter to the last.
--
-- The test is a circular block bootstrap of the difference. Neighbouring collectives resemble one another, and a test that
-- takes them for independent finds differences that are none; so it draws runs of neighbours, four times as long as the
-- autocorrelation of the times lasts (where the run is too short for that, the error is widened instead). change_low and change_high are the difference less and plus Student's t times the
-- standard error of 400 draws, and hold for all rows together with 95 % (Bonferroni). verdict is `slower` or `faster` if they lie
-- wholly beyond `--least` times the base's value, `same` if wholly within it, else `undecided`, as where fewer than 5 blocks
-- or 10 values beyond the quantile are there to judge by; `new` or `gone` where one run lacks the collective.
--
-- One run tells how its own collectives vary, not how runs differ from one another, which on a shared machine is far more:
-- two runs of one program differ in truth, and that is found. So with one run of each `slower` is null, and no gate passes or fails by it. Give several of each (`--base-also`, `--also`; three or
-- more): the values are then means over the runs, and the error is how far the runs of a side are apart, if that is more (a
-- t-test over runs, of both sides together). Run them by turns, so that both see the same loads.
--
-- grain by = operation default
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- One more run of what the base is a run of.
-- param also TRACES = null -- One more run of what the new one is a run of.
-- param measure took|duration|spread = "took" -- Which time.
-- param statistic all|median|p95|p99 = "all" -- Only this one; p95 asks for 200 collectives a run and p99 for 1,000.
-- param least DOUBLE = 0.05 -- Changes of less than this part of the base's value are no change.
-- key operation, call_site, comm, statistic
-- column operation VARCHAR -- The MPI function.
-- column call_site VARCHAR -- Where it was called from, in the new run (in the base, if gone).
-- column comm INTEGER -- The communicator.
-- column statistic VARCHAR -- median, p95 or p99.
-- column base_ns DOUBLE -- Its value in the base.
-- column new_ns DOUBLE -- Its value in the new run.
-- column change DOUBLE [share] -- The difference as part of the base's value; below zero is faster.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column p_value DOUBLE -- How often chance alone would show such a difference; over all rows together.
-- column verdict VARCHAR -- slower, faster, same, undecided, new or gone.
-- column slower BOOLEAN -- Whether the verdict is slower; null where it is undecided or there is but one run of each.
-- column base_runs BIGINT -- Runs of the base that have it.
-- column new_runs BIGINT -- New runs that have it.
-- column base_collectives BIGINT -- Complete collectives in the base, of all its runs.
-- column new_collectives BIGINT -- Complete collectives in the new runs.
-- column blocks BIGINT -- Blocks of the run that has fewest; null where there is no test.
-- column aligned VARCHAR -- By `call site`, or by `order` of first use.
-- only-data slower, aligned, p_value, blocks, base_runs, new_runs
-- exact base_collectives, new_collectives
-- uses collective_sites
-- then verdicts.compare_times -- The block bootstrap and the alignment.
-- empty note neither run has a complete collective
-- example analyze compare base trace --base-also base-2 --also trace-2 --statistic median --fail-if "*.slower == 1"
-- example analyze compare base trace --base-also base-2 --base-also base-3 --also trace-2 --also trace-3 --statistic median
select
    op,
    call_site,
    comm,
    (case $measure
        when 'took' then last_leave_ns - last_enter_ns
        when 'duration' then last_leave_ns - first_enter_ns
        else last_enter_ns - first_enter_ns
    end)::double as time_ns
from collective_sites
where complete and last_leave_ns is not null
order by collective_id
