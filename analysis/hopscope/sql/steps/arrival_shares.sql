-- Last arrivals, their causes and what they cost the others, by any label of the ranks.
--
-- Give it an expression over the columns of `ranks`. A share is taken over the complete collectives in which at least one rank of that label took part; a
-- label is `late` if its share's interval lies wholly above twice what chance would give it (2/n for one rank of n), and likewise the `cause`.
--
-- uses last_enters, waiting, causes, share_of, share_intervals, block_of
create or replace macro arrival_shares(label) as table
    with labels as materialized (
        select
            label as key,
            rank
        from ranks
    ),

    entered as materialized (
        select
            labels.key,
            last_enters.collective_id,
            last_enters.block,
            count(*) / last_enters.comm_size as chance,
            bool_or(calls.rank = last_enters.rank) as is_last,
            any_value(last_enters.decided) as decided,
            any_value(last_enters.margin_ns) as margin_ns
        from last_enters
        inner join calls on last_enters.collective_id = calls.collective_id
        inner join labels on calls.rank = labels.rank
        group by labels.key, last_enters.collective_id, last_enters.block, last_enters.comm_size
    ),

    arrival_measures as (  -- noqa: ST03
        select
            key,
            block,
            sum((is_last and decided)::integer) as part,
            count(*) as whole
        from entered
        group by key, block
    ),

    arrivals as (
        select
            key,
            share_of(count(*) filter (where is_last and decided), count(*)) as share,
            share_of(count(*) filter (where is_last and not decided), count(*)) as undecided,
            median(margin_ns) filter (where is_last and decided) as margin_ns,
            avg(chance) as chance,
            count(*) as collectives
        from entered
        group by key
    ),

    caused as materialized (
        select
            causes.collective_id,
            labels.key,
            block_of(row_number() over (order by causes.collective_id) - 1, count(*) over ()) as block
        from causes
        inner join labels on causes.rank = labels.rank
    ),

    cause_blocks as (
        select
            block,
            count(*) as whole
        from caused
        group by block
    ),

    cause_measures as (  -- noqa: ST03
        select
            keys.key,
            cause_blocks.block,
            count(caused.key) as part,
            any_value(cause_blocks.whole) as whole
        from (select distinct labels.key from labels) as keys
        cross join cause_blocks
        left join caused on keys.key = caused.key and cause_blocks.block = caused.block
        group by keys.key, cause_blocks.block
    ),

    cause_counts as (
        select
            key,
            count(*) as collectives
        from caused
        group by key
    ),

    members_of as (
        select
            key,
            count(*) as members
        from labels
        group by key
    ),

    cause_shares as (
        select
            members_of.key,
            share_of(coalesce(cause_counts.collectives, 0), sum(cause_counts.collectives) over ()) as share,
            members_of.members / sum(members_of.members) over () as chance
        from members_of
        left join cause_counts on members_of.key = cause_counts.key
    ),

    charged as (
        select
            labels.key,
            sum(waiting.waiting_ns) as waiting_ns
        from waiting
        inner join labels on waiting.needed_rank = labels.rank
        group by labels.key
    )

    select
        cause_shares.key,
        arrivals.share::double as share,
        arrival_intervals.share_low,
        arrival_intervals.share_high,
        arrival_intervals.share_low > 2 * arrivals.chance as late,
        cause_shares.share::double as cause_share,
        cause_intervals.share_low as cause_low,
        cause_intervals.share_high as cause_high,
        cause_intervals.share_low > 2 * cause_shares.chance as cause,
        arrivals.undecided::double as undecided,
        round(arrivals.margin_ns)::bigint as margin_ns,
        coalesce(charged.waiting_ns, 0)::bigint as waiting_ns,
        coalesce(arrivals.collectives, 0) as collectives
    from cause_shares
    left join arrivals on cause_shares.key = arrivals.key
    left join charged on cause_shares.key = charged.key
    left join share_intervals('arrival_measures') as arrival_intervals on cause_shares.key = arrival_intervals.key
    left join share_intervals('cause_measures') as cause_intervals on cause_shares.key = cause_intervals.key;
