-- Calls of one collective: enter, leave and waiting of each rank.
--
-- Waiting runs from the rank's own enter to that of the latest rank that it had to wait for.
--
-- param collective COLLECTIVE = null -- The collective as COMM:SEQ: its communicator and its number there.
-- key rank
-- column rank INTEGER -- The rank.
-- column comm_rank INTEGER -- Number of the rank in the communicator.
-- column host VARCHAR -- The host, as in the topology.
-- column cluster VARCHAR -- The cluster, as in the topology.
-- column enter_ns BIGINT [at] -- Time at which the rank entered.
-- column leave_ns BIGINT [at] -- Time at which the rank left; null if the trace ends before.
-- column time_ns BIGINT -- Time in the call.
-- column waiting_ns BIGINT -- Time for which the rank waited for a later one; null if calls of MPI_Test lie too far
--    apart to tell.
-- column needed_rank INTEGER -- Latest rank that the rank had to wait for; null if none.
-- column engine VARCHAR -- tree, native, or native:<reason>.
-- column tree VARCHAR -- Name of the tree that ran; null for native.
-- column place VARCHAR -- Call site, as `function (file:line)`; null if unknown.
-- column file VARCHAR -- Source file and line; null if unknown.
-- column line INTEGER -- Source file and line; null if unknown.
-- column call_site VARCHAR -- The call site in the trace, as module+offset or file:line; null if unknown.
-- column on_path BOOLEAN -- True if the collective's critical path touches the rank.
-- narrow tree, place, comm_rank, cluster
-- uses waiting, members, polled_calls
-- only-data comm_rank, cluster, file, line, call_site
-- bar waiting_ns
-- empty error there is no such collective; `analyze collectives` lists those that the trace has
-- example analyze collective-calls trace --collective 0:17
with selection as (
    select *
    from collectives
    where comm = split_part($collective, ':', 1)::integer and seq = split_part($collective, ':', 2)::bigint
),

touched as (
    select distinct rank
    from path_stretches
    where path = 'collective' and path_collective_id in (select selection.collective_id from selection)
),

waited as (
    select * from waiting
    where collective_id in (select selection.collective_id from selection)
)

select
    calls.rank,
    members.comm_rank,
    ranks.host,
    ranks.cluster,
    calls.enter_ns,
    calls.leave_ns,
    calls.leave_ns - calls.enter_ns as time_ns,
    case
        when waited.rank is null then 0
        when polled_calls.call_id is null then waited.waiting_ns
    end as waiting_ns,
    waited.needed_rank,
    calls.engine,
    calls.tree,
    coalesce(places.place, calls.call_site) as place,
    places.file,
    places.line,
    calls.call_site,
    touched.rank is not null as on_path
from selection
inner join calls on selection.collective_id = calls.collective_id
left join members on selection.comm = members.comm and calls.rank = members.rank
left join ranks on calls.rank = ranks.rank
left join waited on calls.rank = waited.rank
left join touched on calls.rank = touched.rank
left join places on calls.call_site = places.call_site
left join polled_calls on calls.call_id = polled_calls.call_id
order by calls.rank
