-- The interval of each key's share of the run's critical path.
--
-- Give it the name of a table with columns key, block and part. part is the time that the path spends on the key in a
-- block of `run_path`; block is null for time that happens once.
--
-- uses run_path, share_intervals
create or replace macro path_intervals(parts) as table
    with key_parts as (
        select * from query_table(parts)
    ),

    blocks as (
        select
            block,
            sum(time_ns) as whole
        from run_path
        group by block
    ),

    keys as (
        select distinct key
        from key_parts
    ),

    measures as (  -- noqa: ST03
        select
            keys.key,
            blocks.block,
            coalesce(key_parts.part, 0) as part,
            blocks.whole
        from keys
        cross join blocks
        left join key_parts on keys.key = key_parts.key and blocks.block is not distinct from key_parts.block
    )

    select *
    from share_intervals('measures');
