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
            cause_labels.key as cause_key,
            released_labels.key as released_key,
            block_of(row_number() over (order by causes.collective_id) - 1, count(*) over ()) as block
        from causes
        left join labels as cause_labels on causes.cause_rank = cause_labels.rank
        left join labels as released_labels on causes.released_rank = released_labels.rank
    ),

    members_of as (
        select
            key,
            count(*) as members
        from labels
        group by key
    ),

    -- Every label and block, so that a resample without the label counts as one without.
    cause_measures as (
        select
            members_of.key,
            caused.block,
            count(*) filter (where caused.cause_key = members_of.key) as part,
            count(*) filter (where caused.released_key = members_of.key) as released,
            count(*) as whole
        from members_of
        cross join caused
        group by members_of.key, caused.block
    ),

    released_measures as (  -- noqa: ST03
        select
            key,
            block,
            released as part,
            whole
        from cause_measures
    ),

    cause_shares as (
        select
            members_of.key,
            share_of(sum(cause_measures.part), sum(cause_measures.whole)) as share,
            share_of(sum(cause_measures.released), sum(cause_measures.whole)) as released_share,
            members_of.members / (select count(*) from labels) as chance
        from members_of
        left join cause_measures on members_of.key = cause_measures.key
        group by members_of.key, members_of.members
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
        cause_shares.released_share::double as released_share,
        released_intervals.share_low as released_low,
        released_intervals.share_high as released_high,
        arrivals.chance::double as chance,
        cause_shares.chance::double as cause_chance,
        arrivals.undecided::double as undecided,
        round(arrivals.margin_ns)::bigint as margin_ns,
        coalesce(charged.waiting_ns, 0)::bigint as waiting_ns,
        coalesce(arrivals.collectives, 0) as collectives
    from cause_shares
    left join arrivals on cause_shares.key = arrivals.key
    left join charged on cause_shares.key = charged.key
    left join share_intervals('arrival_measures') as arrival_intervals on cause_shares.key = arrival_intervals.key
    left join share_intervals('cause_measures') as cause_intervals on cause_shares.key = cause_intervals.key
    left join share_intervals('released_measures') as released_intervals
        on cause_shares.key = released_intervals.key;
