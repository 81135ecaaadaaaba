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
-- One run tells how its own collectives vary, not how runs differ from one another: use the same machine and load for both.
--
-- grain by = operation default
-- param base TRACE = null -- The run to compare with.
-- param measure took|duration|spread = "took" -- Which time.
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
-- column slower BOOLEAN -- Whether the verdict is slower.
-- column base_collectives BIGINT -- Complete collectives in the base.
-- column new_collectives BIGINT -- Complete collectives in the new run.
-- column blocks BIGINT -- Blocks of the run that has fewer; null where there is no test.
-- column aligned VARCHAR -- By `call site`, or by `order` of first use.
-- only-data slower, aligned, p_value, blocks
-- exact base_collectives, new_collectives
-- uses collective_sites
-- then verdicts.compare_times -- The block bootstrap and the alignment.
-- empty note neither run has a complete collective
-- example analyze compare base trace --fail-if "*.slower == 1"
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
