-- What each edge of some hops carried, and how much it contributes to the run's critical path.
--
-- Give it the name of a table with the hops, as in `hops`. One row per phase, sender and receiver. Shares refer to the path (`run_path`); a hop that the
-- path leaves half-way (a late receiver) weighs what the path spends on it, not what it took.
--
-- column link VARCHAR -- Link class of the two ranks.
-- column hops BIGINT -- Hops that it carried.
-- column bytes BIGINT -- Their payload together.
-- column took_ns BIGINT -- Median time of a hop over it.
-- column waited_share DOUBLE -- Part of its hops that the receiver had to wait for.
-- column waited_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column waited_high DOUBLE [share] -- Upper end of its interval.
-- column on_path BIGINT -- Hops of it on the critical path of the run.
-- column time_ns BIGINT -- Time that the critical path of the run spends on them.
-- column share DOUBLE -- That time as a part of the path's, without start-up and shutdown.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- uses run_path, path_intervals, share_intervals, block_of
create or replace macro edge_weights(chosen) as table
    with carrying as materialized (
        select
            format('{} {}->{}', phase, src, dst) as key,
            *
        from query_table(chosen)
    ),

    places as (
        select
            collective_id,
            dense_rank() over (order by collective_id) - 1 as nth,
            count(*) over () as n
        from carrying
        group by collective_id
    ),

    waited_measures as (  -- noqa: ST03
        select
            carrying.key,
            block_of(places.nth, places.n) as block,
            count(*) filter (where carrying.binding = 'recv') as part,
            count(*) as whole
        from carrying
        inner join places on carrying.collective_id = places.collective_id
        group by carrying.key, places.nth, places.n
    ),

    -- An edge that is not on the path has a part of 0.
    edge_blocks as (  -- noqa: ST03
        select
            carrying.key,
            run_path.block,
            coalesce(sum(run_path.time_ns), 0) as part
        from carrying
        left join run_path on carrying.hop_id = run_path.hop_id
        group by carrying.key, run_path.block
    ),

    carried as (
        select
            key,
            phase,
            src,
            dst,
            min(link) as link,
            count(*) as hops,
            sum(bytes) as bytes,
            median(recv_end_ns - send_begin_ns) as took_ns,
            avg((binding = 'recv')::integer) as waited_share
        from carrying
        group by key, phase, src, dst
    ),

    on_path as (
        select
            carrying.key,
            count(distinct carrying.hop_id) as hops,
            sum(run_path.time_ns) as time_ns
        from run_path
        inner join carrying on run_path.hop_id = carrying.hop_id
        group by carrying.key
    ),

    whole as (
        select sum(run_path.time_ns) as time_ns
        from run_path
    )

    select
        carried.phase,
        carried.src,
        carried.dst,
        carried.link,
        carried.hops,
        carried.bytes::bigint as bytes,
        carried.took_ns::bigint as took_ns,
        carried.waited_share,
        waits.share_low as waited_low,
        waits.share_high as waited_high,
        coalesce(on_path.hops, 0)::bigint as on_path,
        coalesce(on_path.time_ns, 0)::bigint as time_ns,
        (coalesce(on_path.time_ns, 0) / whole.time_ns)::double as share,
        shares.share_low,
        shares.share_high
    from carried
    cross join whole
    left join on_path on carried.key = on_path.key
    left join share_intervals('waited_measures') as waits on carried.key = waits.key
    left join path_intervals('edge_blocks') as shares on carried.key = shares.key;
