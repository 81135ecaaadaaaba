-- The traffic of each edge of some hops, and its contribution to the run's critical path.
--
-- Give it the name of a table with the hops, with the columns of `hops`. One row per role, sender and receiver. Shares
-- refer to the path (`run_path`); a hop that the path leaves half-way (because of a late receiver) counts with the
-- path's time on it, not with its whole time.
--
-- column link VARCHAR -- Link class of the two ranks.
-- column hops BIGINT -- Hops over the edge.
-- column bytes BIGINT -- Payload of the hops over the edge.
-- column took_ns BIGINT -- Median time of a hop, waits for a late receiver included.
-- column waited_share DOUBLE -- Share of the hops that the receiver waited for.
-- column waited_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column waited_high DOUBLE [share] -- Upper end of its interval.
-- column on_path BIGINT -- Hops on the run's critical path.
-- column time_ns BIGINT -- Time on the run's critical path.
-- column share DOUBLE -- Share of the path asked for, by default without start-up and shutdown.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- uses run_path, path_intervals, share_intervals, block_of, edge_name
create or replace macro edge_weights(selection) as table
    with carrying as materialized (
        select
            hop_id,
            collective_id,
            role,
            src,
            dst,
            link,
            bytes,
            binding = 'recv' as is_waited_for,
            recv_end_ns - send_begin_ns as took_ns
        from query_table(selection)
    ),

    places as (
        select
            collective_id,
            block_of(row_number() over (order by collective_id) - 1, count(*) over ()) as block
        from (select distinct carrying.collective_id from carrying) as carriers
    ),

    per_block as (
        select
            carrying.role,
            carrying.src,
            carrying.dst,
            places.block,
            count(*) filter (where carrying.is_waited_for) as waited,
            count(*) as hops
        from carrying
        inner join places on carrying.collective_id = places.collective_id
        group by all
    ),

    waited_measures as (  -- noqa: ST03
        select
            edge_name(role, src, dst) as key,
            block,
            waited as part,
            hops as whole
        from per_block
    ),

    carried as (
        select
            edge_name(role, src, dst) as key,
            role,
            src,
            dst,
            min(link) as link,
            count(*) as hops,
            sum(bytes) as bytes,
            median(took_ns) as took_ns,
            avg(is_waited_for::integer) as waited_share
        from carrying
        group by role, src, dst
    ),

    path_hops as materialized (
        select
            edge_name(carrying.role, carrying.src, carrying.dst) as key,
            carrying.hop_id,
            run_path.block,
            run_path.time_ns
        from run_path
        inner join carrying on run_path.hop_id = carrying.hop_id
    ),

    parts as (
        select
            key,
            block,
            time_ns as part
        from path_hops

        -- An edge that is not on the path has a part of 0.
        union all
        select
            key,
            null as block,
            0 as part
        from carried
    ),

    edge_blocks as (  -- noqa: ST03
        select
            key,
            block,
            sum(part) as part
        from parts
        group by key, block
    ),

    on_path as (
        select
            key,
            count(distinct hop_id) as hops,
            sum(time_ns) as time_ns
        from path_hops
        group by key
    ),

    whole as (
        select sum(run_path.time_ns) as time_ns
        from run_path
    )

    select
        carried.role,
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
