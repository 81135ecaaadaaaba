-- Time on the run's critical path by any label of its stretches, with the interval of each share.
--
-- Give it an expression over the columns of `run_path`; stretches where it is null count for the whole but get no row.
--
-- column time_ns BIGINT -- Time on the run's critical path.
-- column share DOUBLE -- Share of the path asked for, by default without start-up and shutdown.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column share_of_run DOUBLE [share] -- Share of the whole run's path, start-up and shutdown included.
-- column compute_ns BIGINT -- Part of time_ns outside all MPI.
-- column hops_ns BIGINT -- Part of time_ns for hops inside collectives.
-- column p2p_ns BIGINT -- Part of time_ns for the program's own messages and the waits for them.
-- uses run_path, share_of, share_intervals
create or replace macro run_path_shares(label) as table
    with labelled as materialized (
        select
            label as key,
            block,
            time_ns,
            category
        from run_path
    ),

    blocks as (
        select
            block,
            sum(time_ns) as whole
        from labelled
        group by block
    ),

    totals as (
        select
            key,
            sum(time_ns) as time_ns,
            sum(time_ns) filter (where category = 'compute') as compute_ns,
            sum(time_ns) filter (where list_contains(link_classes(), category)) as hops_ns,
            sum(time_ns) filter (where category = 'p2p') as p2p_ns
        from labelled
        where key is not null
        group by key
    ),

    parts as (
        select
            key,
            block,
            sum(time_ns) as part
        from labelled
        group by key, block
    ),

    measures as (  -- noqa: ST03
        select
            totals.key,
            blocks.block,
            coalesce(parts.part, 0) as part,
            blocks.whole
        from totals
        cross join blocks
        left join parts on totals.key = parts.key and blocks.block is not distinct from parts.block
    )

    select
        totals.key,
        totals.time_ns::bigint as time_ns,
        share_of(totals.time_ns, (select sum(blocks.whole) from blocks))::double as share,
        intervals.share_low,
        intervals.share_high,
        share_of(
            totals.time_ns,
            (
                select sum(whole_path_stretches.end_ns - whole_path_stretches.begin_ns)
                from whole_path_stretches
                where whole_path_stretches.path = 'run'
            )
        )::double as share_of_run,
        coalesce(totals.compute_ns, 0)::bigint as compute_ns,
        coalesce(totals.hops_ns, 0)::bigint as hops_ns,
        coalesce(totals.p2p_ns, 0)::bigint as p2p_ns
    from totals
    left join share_intervals('measures') as intervals on totals.key = intervals.key;
