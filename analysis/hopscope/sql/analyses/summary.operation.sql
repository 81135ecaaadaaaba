-- What ran, by MPI operation: collectives, calls, hops and time.
--
-- Time counts every rank's calls, also what they waited for others in them. See `analyze summary --help` for the rest.
--
-- grain by = operation
-- key operation
-- column operation VARCHAR -- The MPI function.
-- column collectives BIGINT -- Collectives of it.
-- column calls BIGINT -- Calls of it, over all ranks.
-- column hops BIGINT -- Hops inside it.
-- column bytes BIGINT -- Bytes of these hops.
-- column time_ns BIGINT -- Time in it, over all ranks.
-- column share DOUBLE -- This time as part of all ranks' time.
-- column waiting_ns BIGINT -- The part of it that is waiting for later ranks, by the rules of the operation.
-- column incomplete BIGINT -- Collectives of it that are not whole in the trace.
-- exact collectives, calls, hops, bytes, incomplete
-- uses waiting, rank_times, share_of
-- bar share
-- empty note the trace has no collectives
-- example analyze summary trace --by operation
with call_times as (
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
),

whole as (
    select sum(time_ns) as time_ns from rank_times
)

select
    counts.op as operation,
    counts.collectives,
    coalesce(call_times.calls, 0) as calls,
    coalesce(hop_counts.hops, 0) as hops,
    coalesce(hop_counts.bytes, 0)::bigint as bytes,
    coalesce(call_times.time_ns, 0)::bigint as time_ns,
    share_of(call_times.time_ns, whole.time_ns)::double as share,
    coalesce(waited.waiting_ns, 0)::bigint as waiting_ns,
    counts.incomplete
from counts
cross join whole
left join call_times on counts.op = call_times.op
left join hop_counts on counts.op = hop_counts.op
left join waited on counts.op = waited.op
order by call_times.time_ns desc nulls last, counts.op asc
