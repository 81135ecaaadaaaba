-- Call sites of MPI: calls, time, waiting, and share of the run's critical path.
--
-- The first columns are shares of the run's critical path, where computing belongs to the call after it. The others are
-- sums over all ranks. A call inside another MPI call counts at its own place.
--
-- key place
-- column place VARCHAR -- The place, as `function (file:line)`; if inlined, then `in` and the outer function.
-- column call_site VARCHAR -- The call sites in the trace, as module+offset or file:line.
-- column how VARCHAR -- What names the place: debug lines (line), a symbol or the trace itself (archive); else why only
--    the module is known; null if unknown.
-- column remedy VARCHAR -- Way to see the source line; null if it is known or nothing helps.
-- columns of run_path_shares
-- column call_ns BIGINT -- The path's time inside the call.
-- column calls BIGINT -- Calls of MPI.
-- column collective_calls BIGINT -- Calls of collectives.
-- column mpi_ns BIGINT -- Time inside the calls.
-- column collective_waiting_ns BIGINT -- Waiting in collectives for ranks that entered later.
-- columns of messages_by: messages, waiting_caused_ns, waiting_suffered_ns
-- only-data call_site, how, remedy, share_of_run
-- narrow share_high, share_low, hops_ns, p2p_ns, messages, collective_calls, calls, compute_ns, call_ns, mpi_ns
-- exact calls, collective_calls, messages
-- uses run_path_shares, run_path, place_remedy, mpi_calls, waiting, messages_by, messages_at_places
-- bar share
-- empty note there are no MPI calls
-- example analyze places trace
-- example analyze places trace --from i:10 --to i:20 --format csv
with per_site as (
    select
        mpi_calls.call_site,
        count(*) as calls,
        count(mpi_calls.collective_id) as collective_calls,
        sum(mpi_calls.end_ns - mpi_calls.begin_ns) as mpi_ns,
        sum(coalesce(waiting.waiting_ns, 0)) as waiting_ns
    from mpi_calls
    left join waiting on mpi_calls.collective_id = waiting.collective_id and mpi_calls.rank = waiting.rank
    where
        (part_ranks() is null or list_contains(part_ranks(), mpi_calls.rank))
        and (part_places() is null or list_contains(part_places(), coalesce(mpi_calls.call_site, unknown_place())))
    group by mpi_calls.call_site
),

called as (
    select
        coalesce(places.place, per_site.call_site, unknown_place()) as key,
        sum(per_site.calls) as calls,
        sum(per_site.collective_calls) as collective_calls,
        sum(per_site.mpi_ns) as mpi_ns,
        sum(per_site.waiting_ns) as waiting_ns
    from per_site
    left join places on per_site.call_site = places.call_site
    group by all
),

on_path as materialized (
    select * from run_path_shares(coalesce(place, unknown_place()))
),

sent as materialized (
    select * from messages_by('messages_at_places')
),

keys as (
    select key from called
    union
    select key from on_path
    union
    select key from sent
),

sites as (
    select call_site from per_site
    union
    select call_site from run_path
),

resolved_places as (
    select
        coalesce(places.place, sites.call_site) as key,
        string_agg(sites.call_site, ', ' order by sites.call_site) as call_site,
        min(places.how) as how,
        min(place_remedy(places.how, places.module)) as remedy
    from sites
    left join places on sites.call_site = places.call_site
    where sites.call_site is not null
    group by all
),

-- If there is a path, a place that is not on it has the share 0. Without a path the share is unknown.
absent as (
    select
        case when count(*) > 0 then 0 end as share,
        case when count(on_path.share_low) > 0 then 0 end as bound
    from on_path
)

select
    keys.key as place,
    resolved_places.call_site,
    resolved_places.how,
    resolved_places.remedy,
    coalesce(on_path.time_ns, 0)::bigint as time_ns,
    coalesce(on_path.share, absent.share)::double as share,
    coalesce(on_path.share_low, absent.bound)::double as share_low,
    coalesce(on_path.share_high, absent.bound)::double as share_high,
    coalesce(on_path.share_of_run, absent.share)::double as share_of_run,
    coalesce(on_path.compute_ns, 0)::bigint as compute_ns,
    coalesce(on_path.hops_ns, 0)::bigint as hops_ns,
    coalesce(on_path.p2p_ns, 0)::bigint as p2p_ns,
    (coalesce(on_path.time_ns, 0) - coalesce(on_path.compute_ns, 0))::bigint as call_ns,
    coalesce(called.calls, 0)::bigint as calls,
    coalesce(called.collective_calls, 0)::bigint as collective_calls,
    coalesce(called.mpi_ns, 0)::bigint as mpi_ns,
    coalesce(called.waiting_ns, 0)::bigint as collective_waiting_ns,
    coalesce(sent.messages, 0)::bigint as messages,
    coalesce(sent.waiting_caused_ns, 0)::bigint as waiting_caused_ns,
    coalesce(sent.waiting_suffered_ns, 0)::bigint as waiting_suffered_ns
from keys
cross join absent
left join resolved_places on keys.key = resolved_places.key
left join on_path on keys.key = on_path.key
left join called on keys.key = called.key
left join sent on keys.key = sent.key
order by coalesce(on_path.time_ns, 0) desc, coalesce(called.mpi_ns, 0) desc, keys.key asc
