-- Critical path against another run: what entered it and what left it.
--
-- Both paths are divided by category, operation, place, edge, host and rank. Intervals of changes hold for all rows
-- together. verdict is `grew` or `shrank` beyond `--least`, `same` within it, else `undecided`.
--
-- grain by = path
-- param base TRACE = null -- The run to compare with.
-- param base_also TRACES = null -- Another run of the same program as the base.
-- param also TRACES = null -- Another run of the same program as the new one.
-- param least DOUBLE = 0.02 -- Ignore smaller changes of a share.
-- key part, name
-- column part VARCHAR -- category, operation, place, edge, host or rank.
-- column name VARCHAR -- The category, operation, place, edge, host or rank.
-- column base_name VARCHAR -- Name of the row in the base; null if only the new path has it.
-- column base_ns BIGINT -- Time on the base run's path.
-- column new_ns BIGINT -- Time on the new run's path.
-- column base_low_ns BIGINT -- Lower end of its interval.
-- column base_high_ns BIGINT -- Upper end of its interval.
-- column new_low_ns BIGINT -- Lower end of its interval.
-- column new_high_ns BIGINT -- Upper end of its interval.
-- column base_share DOUBLE -- Share of the base run's path.
-- column base_share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column base_share_high DOUBLE [share] -- Upper end of its interval.
-- column new_share DOUBLE -- Share of the new run's path.
-- column new_share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column new_share_high DOUBLE [share] -- Upper end of its interval.
-- column difference_ns BIGINT -- The difference; below zero is faster.
-- column change DOUBLE [share] -- Difference of the shares.
-- column change_low DOUBLE [share] -- Lower end of its interval.
-- column change_high DOUBLE [share] -- Upper end of its interval.
-- column status VARCHAR -- entered, left or both.
-- column verdict VARCHAR -- grew, shrank, same or undecided.
-- column aligned VARCHAR -- How rows were matched: by name, or places by function.
-- column grew BOOLEAN -- True if verdict is grew; null if undecided or with one run of each.
-- only-data base_name, aligned, grew, base_low_ns, base_high_ns, new_low_ns, new_high_ns, base_share_low, base_share_high, new_share_low, new_share_high
-- narrow status, change_low, difference_ns, base_ns, new_ns
-- uses run_path, share_draws
-- then explain.compare_paths -- The shares' difference.
-- empty note neither run has a critical path
-- example analyze compare base trace --by path
-- example analyze compare base trace --base-also base-2 --also trace-2 --by path --fail-if '"category wan.grew" == 1'
with labelled as materialized (
    select
        block,
        time_ns,
        unnest(['category', 'operation', 'place', 'edge', 'host', 'rank']) as part,
        unnest([category, op, place, edge, host, rank::varchar]) as name
    from run_path
),

wholes as materialized (
    select
        block,
        sum(time_ns) as whole
    from run_path
    group by block
),

parts as materialized (
    select
        part,
        name,
        block,
        sum(time_ns) as time_ns
    from labelled
    where name is not null
    group by part, name, block
),

totals as materialized (
    select
        part,
        name,
        sum(time_ns) as time_ns
    from parts
    group by part, name
),

-- A place is found again in another build by its function and the MPI operation that it calls.
called_at as (
    select
        'place' as part,
        run_path.place as name,
        min(run_path.op) as op,
        min(places.function) as function
    from run_path
    left join places on run_path.call_site = places.call_site
    group by run_path.place
),

measures as (  -- noqa: ST03
    select
        [totals.part, totals.name] as key,
        wholes.block,
        coalesce(parts.time_ns, 0) as part,
        wholes.whole
    from totals
    cross join wholes
    left join parts
        on
            totals.part = parts.part
            and totals.name = parts.name
            and wholes.block is not distinct from parts.block
)

select
    totals.part,
    totals.name,
    totals.time_ns::bigint as time_ns,
    (select sum(wholes.whole) from wholes)::bigint as path_ns,
    (select count(wholes.block) from wholes) as blocks,
    shares.draws,
    shares.times,
    called_at.op,
    called_at.function
from totals
left join share_draws('measures') as shares on shares.key = [totals.part, totals.name]
left join called_at on totals.part = called_at.part and totals.name = called_at.name
order by totals.part, totals.name
