-- The block bootstrap over collectives: each share in 200 resampled runs.
--
-- Give it the name of a table with columns key, block, part and whole. Each of 200 draws takes as many blocks as there
-- are, with replacement. The column `draws` has the share of a key in each draw, the column `times` the sum of its
-- parts. The draws come from a hash instead of random numbers, so that an answer repeats. Rows whose block is null
-- happen once in a run, so every draw has them. Below 5 blocks (13 collectives) there is too little to draw from, and
-- no key has a row.
create or replace macro share_draws(measures) as table
    with per_block as materialized (
        select
            key,
            block,
            sum(part) as part,
            sum(whole) as whole
        from query_table(measures)
        group by key, block
    ),

    blocks as materialized (
        select
            distinct_blocks.block,
            row_number() over (order by distinct_blocks.block) - 1 as place,
            count(*) over () as n
        from (
            select distinct block
            from per_block
            where block is not null
        ) as distinct_blocks
    ),

    draws as (
        select
            resamples.resample,
            (md5_number_lower(concat_ws(' ', resamples.resample, blocks.place)) % blocks.n::ubigint)::bigint as place
        from blocks
        cross join range(bootstrap_draws()) as resamples (resample)
        where blocks.n >= bootstrap_least_blocks()
    ),

    drawn_times as (
        select
            resample,
            place,
            count(*) as times
        from draws
        group by resample, place
    ),

    -- For each draw, the number of times that each block is drawn, in the order of the blocks. With these lists, a
    -- share is a quotient of two inner products.
    weights as materialized (
        select
            resamples.resample,
            list(coalesce(drawn_times.times, 0)::double order by blocks.place) as times
        from blocks
        cross join range(bootstrap_draws()) as resamples (resample)
        left join drawn_times on resamples.resample = drawn_times.resample and blocks.place = drawn_times.place
        where blocks.n >= bootstrap_least_blocks()
        group by resamples.resample
    ),

    one_time_parts as (
        select
            key,
            part,
            whole
        from per_block
        where block is null
    ),

    keys as (
        select key
        from per_block
        where block is not null
        group by key
    ),

    in_order as materialized (
        select
            keys.key,
            list(coalesce(per_block.part, 0)::double order by blocks.place) as parts,
            list(coalesce(per_block.whole, 0)::double order by blocks.place) as wholes
        from blocks
        cross join keys
        left join per_block on keys.key = per_block.key and blocks.block = per_block.block
        group by keys.key
    ),

    resampled_sums as (
        select
            in_order.key,
            weights.resample,
            list_inner_product(weights.times, in_order.parts) as part,
            list_inner_product(weights.times, in_order.wholes) as whole
        from weights
        cross join in_order
    )

    select
        resampled_sums.key,
        list(
            (resampled_sums.part + coalesce(one_time_parts.part, 0))
            / nullif(resampled_sums.whole + coalesce(one_time_parts.whole, 0), 0)
            order by resampled_sums.resample
        ) as draws,
        list(resampled_sums.part + coalesce(one_time_parts.part, 0) order by resampled_sums.resample) as times
    from resampled_sums
    left join one_time_parts on resampled_sums.key = one_time_parts.key
    group by resampled_sums.key;
