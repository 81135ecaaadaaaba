-- Operations that ran: collectives, calls, hops and time.
--
-- Times are sums over all ranks, waiting included, so they add up to more than the run took.
--
-- grain by = operation
-- key operation
-- column operation VARCHAR -- The MPI function.
-- column collectives BIGINT -- Collectives of the operation.
-- column calls BIGINT -- Calls of all ranks.
-- column hops BIGINT -- Hops of the operation's collectives.
-- column bytes BIGINT -- Payload of the hops.
-- column time_ns BIGINT -- Time of all ranks in the operation.
-- column share DOUBLE -- The time as a share of all ranks' time.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column waiting_ns BIGINT -- Waiting for later ranks.
-- column incomplete BIGINT -- Incomplete collectives of this operation.
-- narrow incomplete, bytes, share_low, hops
-- exact collectives, calls, hops, bytes, incomplete
-- uses waiting, rank_times, share_of, share_intervals, block_of
-- bar share
-- empty note there are no collectives
-- example analyze summary trace --by operation
with whole as (
    select sum(time_ns) as time_ns from rank_times
),

-- Rank time in the trace for each nanosecond of the run.
weight as (
    select whole.time_ns / run.duration_ns as of_run
    from run
    cross join whole
),

spans as (
    select
        collective_id,
        op,
        -- All ranks' time up to the next collective, so that the spans add up to the whole.
        lead(first_enter_ns, 1, (select run.duration_ns from run)) over (order by collective_id)
        - first_enter_ns as span_ns,
        block_of(row_number() over (order by collective_id) - 1, count(*) over ()) as block
    from collectives
),

collective_times as (
    select
        calls.collective_id,
        sum(
            coalesce(calls.complete_ns, calls.leave_ns, calls.enter_ns)
            - coalesce(calls.wait_begin_ns, calls.enter_ns)
        ) as time_ns
    from calls
    group by calls.collective_id
),

operations as (
    select
        op,
        min(min(first_enter_ns)) over () as begin_ns
    from collectives
    group by op
),

share_measures as (  -- noqa: ST03
    select
        operations.op as key,
        spans.block,
        case when spans.op = operations.op then coalesce(collective_times.time_ns, 0) else 0 end as part,
        spans.span_ns * weight.of_run as whole
    from spans
    cross join operations
    cross join weight
    left join collective_times on spans.collective_id = collective_times.collective_id

    union all
    -- The time before the first collective occurs once.
    select
        operations.op as key,
        null as block,
        0 as part,
        operations.begin_ns * weight.of_run as whole
    from operations
    cross join weight
),

call_times as (
    select
        collectives.op,
        count(*) as calls,
        sum(
            coalesce(calls.complete_ns, calls.leave_ns, calls.enter_ns)
            - coalesce(calls.wait_begin_ns, calls.enter_ns)
        ) as time_ns
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    group by collectives.op
),

counts as (
    select
        op,
        count(*) as collectives,
        count(*) filter (where not complete) as incomplete
    from collectives
    group by op
),

hop_counts as (
    select
        collectives.op,
        count(*) as hops,
        sum(hops.bytes) as bytes
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    group by collectives.op
),

waited as (
    select
        collectives.op,
        sum(waiting.waiting_ns) as waiting_ns
    from waiting
    inner join collectives on waiting.collective_id = collectives.collective_id
    group by collectives.op
)

select
    counts.op as operation,
    counts.collectives,
    coalesce(call_times.calls, 0) as calls,
    coalesce(hop_counts.hops, 0) as hops,
    coalesce(hop_counts.bytes, 0)::bigint as bytes,
    coalesce(call_times.time_ns, 0)::bigint as time_ns,
    share_of(call_times.time_ns, whole.time_ns)::double as share,
    intervals.share_low,
    intervals.share_high,
    coalesce(waited.waiting_ns, 0)::bigint as waiting_ns,
    counts.incomplete
from counts
cross join whole
left join call_times on counts.op = call_times.op
left join hop_counts on counts.op = hop_counts.op
left join waited on counts.op = waited.op
left join share_intervals('share_measures') as intervals on counts.op = intervals.key
order by call_times.time_ns desc nulls last, counts.op asc
