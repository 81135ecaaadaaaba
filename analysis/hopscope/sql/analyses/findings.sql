-- What the trace says, in sentences: one finding for each thing examined.
--
-- A finding is a sentence with the numbers behind it, a value for gates, and the analysis that shows more. The pages of the dashboard and the report show
-- the same findings. severity is one of:
--
-- problem    it costs the run time, or is not what you asked for, and you can do something about it: a slow rank, noise on the critical path, a tree with
--            several crossings between clusters in sequence, a setting that the MPI library ignored
-- note       worth knowing, but nobody's fault, or it costs little
-- undecided  the trace cannot tell
-- fine       examined, and nothing found
--
-- That the run did not finish, and that ranks shared cores, comes before all else, for it spoils the other numbers.
-- Something that costs less than a tenth of the critical path is not a problem. A key that the trace has nothing about is left out, such as links between
-- clusters in a run on one cluster.
--
-- param about unfinished|cores|collectives|critical-path|last-arrivals|noise|tree|algorithms|settings|wan-share|late-ranks|noise-periods|delayed-hops = null -- Give
--    only the finding of this key, and run only the analyses that it needs.
-- param least_ms DOUBLE = null -- How many ms longer than the faster members counts as late, as in `late-ranks`; by default 5 % of
--    the time per collective.
-- param limit BIGINT = 20 -- How many delayed hops to examine, as in `delayed-hops`.
-- key key
-- column key VARCHAR -- What it is about; `collectives` only where the trace has none.
-- column verdict VARCHAR -- What was found, in one word: of `critical-path` the largest category, of `late-ranks` the worst class, or little.
-- column severity VARCHAR -- problem, note, undecided or fine.
-- column problem BOOLEAN -- Whether the severity is problem, for gates; null where it is undecided.
-- column sentence VARCHAR -- The finding.
-- column evidence VARCHAR -- The numbers behind it.
-- column value DOUBLE [of unit] -- Null where the trace cannot tell, else: of `critical-path` the share of its largest category; of `last-arrivals` the share
--    of the last arrivals that the slowest rank's computing led to, 0 if no rank is slow; of `noise` the part that it takes of the loop's critical path; of
--    `tree` crossings between clusters in sequence, or the share of hops between clusters where it is too small for crossings to matter and these are unknown, of `algorithms` those of the algorithm that has most; of `settings` the share of collectives that ran otherwise; of `wan-share` that share; of `late-ranks` the typical lateness of the latest rank, 0 if none is late; of
--    `noise-periods` the part of the noise that goes with the clearest period, 0 without one; of `delayed-hops` by how much one of them lengthened
--    its collective.
-- column unit VARCHAR -- Unit of the value.
-- column cost_share DOUBLE [share] -- How much of the critical path it concerns, where that is known: rows come by severity, then by this.
-- column analysis VARCHAR -- The analysis that shows more, as typed after `analyze`.
-- column part VARCHAR -- The part of the run that it is about, as the option of an analysis that selects it, such as --ranks 3; null where it is about all.
-- paragraphs severity, sentence, evidence, more: analyze analysis
-- only-data verdict, problem, value, unit, cost_share, part
-- uses kind_crossings, run_path, wan_on_path, loop_counts, iteration_cuts
-- asks caveats, critical-path, last-arrivals, noise, algorithms, wan-share, late-ranks, noise-periods, delayed-hops
-- then findings -- Sentences and verdicts from the rows of the analyses and these facts of the run.
-- empty note there is nothing to say about that
-- example analyze findings trace --fail-if "*.problem == 1"
-- example analyze findings trace --about noise --fail-if "noise.value > 5%"
with path as (
    select sum(end_ns - begin_ns) as path_ns
    from run_path
),

-- Its first iteration has the set-up before it.
loop as (
    select
        min(begin_ns) filter (where iteration = 1) as begin_ns,
        max(begin_ns) as end_ns
    from iteration_cuts
),

loop_path as (
    select sum(least(run_path.end_ns, loop.end_ns) - greatest(run_path.begin_ns, loop.begin_ns)) as path_ns
    from run_path
    inner join loop on run_path.begin_ns < loop.end_ns and run_path.end_ns > loop.begin_ns
),

known as (
    select
        count(*) filter (where crossings is null) as unknown,
        max(crossings) as most
    from kind_crossings
)

select
    (select count(*) from collectives) as collectives,
    (select count(*) from whole_collectives) as whole_collectives,
    (select count(*) from hops) as hops,
    (select loop_counts.iterations from loop_counts) as iterations,
    (select loop_counts.most_calls from loop_counts) as most_calls,
    (select count(distinct ranks.cluster) from ranks) as clusters,
    -- Of what is unrecognised, any number may be the greatest.
    (select case when known.unknown = 0 or known.most > 1 then known.most end from known) as crossings,
    coalesce(path.path_ns, 0)::bigint as path_ns,
    coalesce(nullif(loop_path.path_ns, 0), path.path_ns, 0)::bigint as loop_path_ns,
    (hops_on_path.wan_ns / nullif(path.path_ns, 0))::double as wan_share,
    (hops_on_path.hops_ns / nullif(path.path_ns, 0))::double as hops_share
from path
cross join loop_path
cross join wan_on_path as hops_on_path
order by path.path_ns
