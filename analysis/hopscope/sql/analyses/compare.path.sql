-- What entered and what left the critical path, against another run.
--
-- The critical path of both runs, in the parts that `analyze critical-path` knows: by category, operation, call site, edge,
-- host and rank. A row is there if either path spends time on it. The interval of a share's change is Student's t times the
-- standard error of 400 block bootstraps over collectives, as in `analyze compare --by operation`, and holds for all rows
-- together with 95 %. verdict is `grew` or `shrank` if it lies wholly beyond `--least`, `same` if wholly within, else `undecided`.
-- Call sites are compared as they are: those of another build are other call sites. Several runs of each (`--base-also`,
-- `--also`) tell what runs differ by from time to time, such as which of ranks that are alike the path goes over.
--
-- grain by = path
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- One more run of what the base is a run of.
-- param also TRACES = null -- One more run of what the new one is a run of.
-- param least DOUBLE = 0.02 -- Changes of a share by less than this are no change.
-- key part, name
-- column part VARCHAR -- What the row is: category, operation, call-site, edge, host or rank.
-- column name VARCHAR -- Which one.
-- column base_ns BIGINT -- Time of the base's path on it.
-- column new_ns BIGINT -- Time of the new run's path on it.
-- column base_share DOUBLE -- That time as part of the base's path.
-- column base_share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column base_share_high DOUBLE [share] -- Upper end of it.
-- column new_share DOUBLE -- Part of the new run's path.
-- column new_share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column new_share_high DOUBLE [share] -- Upper end of it.
-- column change DOUBLE [share] -- The new share less the base's.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column status VARCHAR -- entered, left, or both: on which path it is.
-- column verdict VARCHAR -- grew, shrank, same or undecided.
-- column grew BOOLEAN -- Whether the verdict is grew; null where it is undecided or there is but one run of each.
-- only-data grew, base_share_low, base_share_high, new_share_low, new_share_high
-- uses run_path
-- then verdicts.compare_paths -- The block bootstrap of both paths.
-- empty note neither run has a critical path
-- example analyze compare base trace --by path
-- example analyze compare base trace --base-also base-2 --also trace-2 --by path --fail-if '"category wan.grew" == 1'
with labelled as (
    select
        block,
        time_ns,
        unnest(['category', 'operation', 'call-site', 'edge', 'host', 'rank']) as part,
        unnest([category, op, call_site, edge, host, rank::varchar]) as name
    from run_path
)

select
    part,
    name,
    block::bigint as block,
    sum(time_ns)::bigint as time_ns
from labelled
group by part, name, block
order by part, name nulls last, block nulls first
