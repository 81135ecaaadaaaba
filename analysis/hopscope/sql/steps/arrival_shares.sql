-- Last arrivals, their causes and what they cost the others, by any label of the ranks.
--
-- Give it an expression over the columns of `ranks`, the label. A share is taken over the complete collectives in which
-- at least one rank of the label took part. A label is `late` if the interval of its share lies wholly above the share
-- that chance would give it (1/n for one rank of n). The more labels are compared, the wider the interval is
-- (`sure_share`).
--
-- A label is the `cause` under two conditions. The interval of its share of causes lies above chance, with an error
-- of 1 % in place of 5 %, because blame must be surer than a description. And its excess computing, compared with the
-- faster members', takes 2 % or more of the run's critical path, because in a long run the smallest asymmetry is above
-- chance.
--
-- column share DOUBLE -- Share of its collectives that it entered last.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column late BOOLEAN -- True if its interval lies above `chance` (error 5 % / number compared); null without an
--    interval.
-- column cause_share DOUBLE -- Share of collectives whose last arrival was late because of longer computing here.
-- column cause_low DOUBLE [share] -- Lower end of its interval.
-- column cause_high DOUBLE [share] -- Upper end of its interval.
-- column cause BOOLEAN -- True if its interval lies above `cause_chance` (error 1 % / number compared) and
--    `cost_share` is 2 % or more; null if unknown, or if the cost is 10 % or more and the interval lies above only with
--    an error of 5 %.
-- column cost_share DOUBLE -- Share of the run's critical path that its excess computing takes.
-- column released_share DOUBLE -- Share of collectives whose last arrival was late because the previous collective
--    released it last.
-- column released_low DOUBLE [share] -- Lower end of its interval.
-- column released_high DOUBLE [share] -- Upper end of its interval.
-- column chance DOUBLE [share] -- Share of last arrivals that chance would give it.
-- column cause_chance DOUBLE [share] -- Share of causes that chance would give it.
-- column undecided DOUBLE [share] -- Share of its collectives in which it may be the last, but the clocks cannot tell.
-- column margin_ns BIGINT -- Median time by which it was last.
-- column waiting_ns BIGINT -- Waiting of the others for it.
-- column collectives BIGINT -- Complete collectives of two ranks or more that it took part in.
-- uses last_enters, members, waiting, causes, path_toward, share_of, share_intervals, block_of, sure_share
create or replace macro arrival_shares(label) as table
    with labels as materialized (
        select
            label as key,
            rank
        from ranks
    ),

    lasts as materialized (
        select
            last_enters.*,
            collectives.comm,
            labels.key
        from last_enters
        inner join collectives on last_enters.collective_id = collectives.collective_id
        inner join labels on last_enters.rank = labels.rank
    ),

    -- All members of a complete collective took part in it.
    members_of_comms as (
        select
            members.comm,
            labels.key,
            count(*) as members
        from members
        inner join labels on members.rank = labels.rank
        group by members.comm, labels.key
    ),

    collectives_of_comms as (
        select
            comm,
            block,
            comm_size,
            count(*) as collectives
        from lasts
        group by comm, block, comm_size
    ),

    entered as materialized (
        select
            members_of_comms.key,
            collectives_of_comms.block,
            sum(collectives_of_comms.collectives) as whole,
            -- Summed in a fixed order, so that the last digits are the same each time.
            sum(
                collectives_of_comms.collectives * members_of_comms.members / collectives_of_comms.comm_size
                order by collectives_of_comms.comm, collectives_of_comms.comm_size
            ) as chances
        from collectives_of_comms
        inner join members_of_comms on collectives_of_comms.comm = members_of_comms.comm
        group by members_of_comms.key, collectives_of_comms.block
    ),

    entered_last as (
        select
            key,
            block,
            count(*) as part
        from lasts
        where decided
        group by key, block
    ),

    arrival_measures as materialized (  -- noqa: ST03
        select
            entered.key,
            entered.block,
            coalesce(entered_last.part, 0) as part,
            entered.whole
        from entered
        left join entered_last on entered.key = entered_last.key and entered.block = entered_last.block
    ),

    lasts_of as (
        select
            key,
            count(*) filter (where decided) as decided,
            count(*) filter (where not decided) as undecided,
            median(margin_ns) filter (where decided) as margin_ns
        from lasts
        group by key
    ),

    wholes as (
        select
            key,
            sum(whole)::bigint as collectives,
            sum(chances order by block) as chances
        from entered
        group by key
    ),

    arrivals as (
        select
            wholes.key,
            share_of(coalesce(lasts_of.decided, 0), wholes.collectives) as share,
            share_of(coalesce(lasts_of.undecided, 0), wholes.collectives) as undecided,
            lasts_of.margin_ns,
            wholes.chances / wholes.collectives as chance,
            wholes.collectives
        from wholes
        left join lasts_of on wholes.key = lasts_of.key
    ),

    caused as materialized (
        select
            cause_labels.key as cause_key,
            released_labels.key as released_key,
            placed.collective_id,
            placed.cause_rank,
            placed.cause_part,
            placed.excess_ns,
            block_of(placed.place, max(placed.place) over () + 1) as block
        from (
            select
                *,
                dense_rank() over (order by collective_id) - 1 as place
            from causes
        ) as placed
        left join labels as cause_labels on placed.cause_rank = cause_labels.rank
        left join labels as released_labels on placed.released_rank = released_labels.rank
    ),

    members_of as (
        select
            key,
            count(*) as members
        from labels
        group by key
    ),

    caused_in as (
        select
            block,
            count(distinct collective_id) as whole
        from caused
        group by block
    ),

    blamed_in as (
        select
            cause_key as key,
            block,
            cause_part as part,
            0 as released
        from caused

        union all
        select
            released_key as key,
            block,
            0 as part,
            1 as released
        from caused
    ),

    blamed_parts as (
        select
            key,
            block,
            -- Summed in a fixed order, as above.
            sum(part order by part) as part,
            sum(released) as released
        from blamed_in
        group by key, block
    ),

    -- Every label in every block, so that a block without the label counts as 0.
    cause_measures as (
        select
            members_of.key,
            caused_in.block,
            coalesce(blamed_parts.part, 0) as part,
            coalesce(blamed_parts.released, 0) as released,
            caused_in.whole
        from members_of
        cross join caused_in
        left join blamed_parts on members_of.key = blamed_parts.key and caused_in.block = blamed_parts.block
    ),

    -- Both shares have the same wholes, so that the same draws of blocks serve both.
    blame_measures as (  -- noqa: ST03
        select
            unnest([row('cause', key), row('released', key)]) as key,
            block,
            unnest([part, released]) as part,
            whole
        from cause_measures
    ),

    blame_intervals as materialized (
        select
            key[1] as blame,
            key[2] as key,
            share_low,
            share_high,
            standard_error
        from share_intervals('blame_measures')
    ),

    with_cause as (
        select
            share_of(
                count(distinct collective_id) filter (where cause_key is not null), count(distinct collective_id)
            ) as share
        from caused
    ),

    cause_shares as (
        select
            members_of.key,
            share_of(sum(cause_measures.part order by cause_measures.block), sum(cause_measures.whole)) as share,
            share_of(sum(cause_measures.released), sum(cause_measures.whole)) as released_share,
            members_of.members / (select count(*) from labels) * any_value(with_cause.share) as chance
        from members_of
        cross join with_cause
        left join cause_measures on members_of.key = cause_measures.key
        group by members_of.key, members_of.members
    ),

    -- Several ranks of a label may share the blame for a collective.
    parts_of as (
        select
            collective_id,
            cause_key as key,
            sum(cause_part) as part
        from caused
        where cause_key is not null
        group by collective_id, cause_key
    ),

    squares as (
        select
            key,
            share_of(sum(part * part order by part), (select sum(caused_in.whole) from caused_in)) as square
        from parts_of
        group by key
    ),

    -- Members that share the blame also share its cost.
    excess as (
        select
            caused.collective_id,
            caused.cause_key as key,
            caused.cause_part,
            least(caused.excess_ns, coalesce(path_toward.computing_ns, 0)) as path_ns
        from caused
        left join path_toward
            on caused.collective_id = path_toward.collective_id and caused.cause_rank = path_toward.rank
        where caused.cause_key is not null
    ),

    shared_excess as (
        select
            key,
            round(cause_part * sum(path_ns) over (partition by collective_id))::bigint as cost_ns
        from excess
    ),

    compared as (
        select
            (select count(*) from members_of) as labels,
            (select count(distinct block) from lasts) as arrival_blocks,
            (select count(*) from caused_in) as cause_blocks,
            (select sum(caused_in.whole) from caused_in) as causes,
            (select sum(time_ns) from path_toward) as path_ns
    ),

    costs as (
        select
            cause_shares.key,
            share_of(coalesce(sum(shared_excess.cost_ns), 0), any_value(compared.path_ns)) as share
        from cause_shares
        cross join compared
        left join shared_excess on cause_shares.key = shared_excess.key
        group by cause_shares.key
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
        sure_share(
            arrivals.share,
            arrivals.share,
            arrival_intervals.standard_error,
            arrivals.collectives,
            compared.labels,
            compared.arrival_blocks,
            0.05
        ) > arrivals.chance as late,
        cause_shares.share::double as cause_share,
        cause_intervals.share_low as cause_low,
        cause_intervals.share_high as cause_high,
        case
            when cause_intervals.standard_error is null then null
            when
                sure_share(
                    cause_shares.share,
                    coalesce(squares.square, 0),
                    cause_intervals.standard_error,
                    compared.causes,
                    compared.labels,
                    compared.cause_blocks,
                    0.01
                ) > cause_shares.chance
                then costs.share >= 0.02
            -- A label that may be a cause and costs so much is neither blamed nor cleared.
            when cause_intervals.share_low > cause_shares.chance and costs.share >= 0.1 then null
            else false
        end as cause,
        costs.share::double as cost_share,
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
    cross join compared
    left join arrivals on cause_shares.key = arrivals.key
    left join squares on cause_shares.key = squares.key
    left join costs on cause_shares.key = costs.key
    left join charged on cause_shares.key = charged.key
    left join share_intervals('arrival_measures') as arrival_intervals on cause_shares.key = arrival_intervals.key
    left join blame_intervals as cause_intervals
        on cause_intervals.blame = 'cause' and cause_shares.key = cause_intervals.key
    left join blame_intervals as released_intervals
        on released_intervals.blame = 'released' and cause_shares.key = released_intervals.key
    where exists (select 1 from collectives);
