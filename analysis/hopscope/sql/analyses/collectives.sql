-- The collectives of the trace, worst first, and where the time on each one's critical path went.
--
-- A collective is one execution of one operation on one communicator, named COMM:SEQ. Its duration runs from the first
-- enter to the last leave; most of that may be waiting for the last rank. after_last_enter_ns is the time that it took
-- once every rank was there, so it is the figure that a tree can change. The times by category are those of the
-- collective's own critical path.
--
-- param order worst|median|first = "worst" -- worst: longest after the last enter first; median: nearest to the median first; first: in
--    the order of the run.
-- param limit BIGINT = 50 -- At most this many rows.
-- param seq BIGINT = null -- Only those of this number on their communicator (with --comm: that one).
-- key collective
-- column collective VARCHAR -- Its name, COMM:SEQ.
-- column collective_id BIGINT -- Its number in the dataset.
-- column comm INTEGER -- The communicator.
-- column comm_name VARCHAR -- Name of the communicator.
-- column seq BIGINT -- Its number on the communicator, from 0.
-- column previous_seq BIGINT -- Number of the one before it on the communicator; null for the first.
-- column next_seq BIGINT -- Number of the one after it; null for the last.
-- column operation VARCHAR -- The MPI function.
-- column root INTEGER -- Root as a rank of the communicator; null where there is none.
-- column bytes BIGINT -- Largest payload of a member.
-- column ranks INTEGER -- Members of the communicator.
-- column first_enter_ns BIGINT [at] -- When the first rank entered.
-- column duration_ns BIGINT -- From the first enter to the last leave; null if nobody left.
-- column spread_ns BIGINT -- From the first enter to the last.
-- column after_last_enter_ns BIGINT -- From the last enter to the last leave.
-- column last_rank INTEGER -- Rank that entered last; null where the clocks cannot tell or it is incomplete.
-- column margin_ns BIGINT -- Time between the last enter and the one before it.
-- column path_ns BIGINT -- Length of its critical path; null where there is none.
-- column local_ns BIGINT -- The part of the path that is work on ranks.
-- column shm_ns BIGINT -- The part that is hops inside hosts.
-- column lan_ns BIGINT -- The part that is hops between hosts of a cluster.
-- column wan_ns BIGINT -- The part that is hops between clusters.
-- column native_ns BIGINT -- The part inside the MPI library, with no hops known.
-- column hops BIGINT -- Its hops.
-- column engine VARCHAR -- tree, native, or native:<reason>.
-- column complete BOOLEAN -- Whether every member's enter and leave are in the trace.
-- narrow hops, engine, bytes, ranks
-- exact bytes, ranks, hops, complete
-- uses last_enters
-- only-data collective_id, comm, comm_name, seq, previous_seq, next_seq, root, first_enter_ns, margin_ns, path_ns, spread_ns, local_ns, shm_ns, lan_ns, native_ns,
--    complete
-- bar after_last_enter_ns
-- empty note no collective fits; without options, the trace has none
-- example analyze collectives trace --order first --limit 10
with chosen as (
    select
        *,
        last_leave_ns - last_enter_ns as after_last_enter_ns,
        abs(
            last_leave_ns - last_enter_ns - median(last_leave_ns - last_enter_ns) over (partition by op, comm_size)
        ) as from_median_ns
    from collectives
    where $seq::bigint is null or seq = $seq::bigint
    order by
        case $order
            when 'worst' then -coalesce(after_last_enter_ns, 0)
            when 'median' then coalesce(from_median_ns, 9e18)
            else collective_id
        end,
        collective_id
    limit $limit::bigint
),

neighbours as (
    select
        collective_id,
        lag(seq) over on_comm as previous_seq,
        lead(seq) over on_comm as next_seq
    from whole_collectives
    where comm in (select chosen.comm from chosen)
    window on_comm as (partition by comm order by seq, collective_id)
),

paths as (
    select
        path_collective_id as collective_id,
        sum(end_ns - begin_ns)::bigint as path_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'local'), 0)::bigint as local_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'shm'), 0)::bigint as shm_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'lan'), 0)::bigint as lan_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'wan'), 0)::bigint as wan_ns,
        coalesce(sum(end_ns - begin_ns) filter (where category = 'native'), 0)::bigint as native_ns
    from path_stretches
    where path = 'collective' and path_collective_id in (select chosen.collective_id from chosen)
    group by path_collective_id
),

hop_counts as (
    select
        collective_id,
        count(*) as hops
    from hops
    where collective_id in (select chosen.collective_id from chosen)
    group by collective_id
),

engines as (
    select
        collective_id,
        min(engine) as engine
    from calls
    where collective_id in (select chosen.collective_id from chosen)
    group by collective_id
)

select
    chosen.comm::varchar || ':' || chosen.seq::varchar as collective,
    chosen.collective_id,
    chosen.comm,
    comms.name as comm_name,
    chosen.seq,
    neighbours.previous_seq,
    neighbours.next_seq,
    chosen.op as operation,
    chosen.root,
    chosen.bytes,
    chosen.comm_size as ranks,
    chosen.first_enter_ns,
    chosen.last_leave_ns - chosen.first_enter_ns as duration_ns,
    chosen.last_enter_ns - chosen.first_enter_ns as spread_ns,
    chosen.after_last_enter_ns,
    case when last_enters.decided then last_enters.rank end as last_rank,
    last_enters.margin_ns,
    paths.path_ns,
    paths.local_ns,
    paths.shm_ns,
    paths.lan_ns,
    paths.wan_ns,
    paths.native_ns,
    coalesce(hop_counts.hops, 0) as hops,
    engines.engine,
    chosen.complete
from chosen
left join comms on chosen.comm = comms.comm
left join neighbours on chosen.collective_id = neighbours.collective_id
left join last_enters on chosen.collective_id = last_enters.collective_id
left join paths on chosen.collective_id = paths.collective_id
left join hop_counts on chosen.collective_id = hop_counts.collective_id
left join engines on chosen.collective_id = engines.collective_id
order by
    case $order
        when 'worst' then -coalesce(chosen.after_last_enter_ns, 0)
        when 'median' then coalesce(chosen.from_median_ns, 9e18)
        else chosen.collective_id
    end,
    chosen.collective_id
