-- The edges that hops ran over, and what each weighs on the critical path of the run.
--
-- An edge is a sender, a receiver and the phase: up towards the root, down from it, exchange between peers. Every edge that carried a hop is there, on the
-- path or not. Only the time of its hops counts, so an application's message between the same two ranks does not; for both together see
-- `analyze critical-path --by edge`. took_ns is the usual time from the start of the send to the receiver having the message: waiting for a receiver that came
-- late is part of it. `--tree`, `--comm` and `--root` take only the hops of one tree, as `analyze trees` lists them; shares stay those of the whole path.
--
-- param tree VARCHAR = null -- Only hops of collectives that ran over the tree of this name.
-- param comm INTEGER = null -- Only hops of collectives on this communicator.
-- param root INTEGER = null -- Only hops of trees with this root, a trace-wide rank.
-- key edge
-- column edge VARCHAR -- Phase, sender and receiver, as up 3->2.
-- column phase VARCHAR -- up, down or exchange.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column link VARCHAR -- Link class of the two ranks.
-- column hops BIGINT -- Hops that it carried.
-- column bytes BIGINT -- Their payload together.
-- column took_ns BIGINT -- Median time of a hop over it.
-- column waited_share DOUBLE -- Part of its hops that the receiver had to wait for.
-- column waited_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column waited_high DOUBLE [share] -- Upper end of its interval.
-- column on_path BIGINT -- Hops of it on the critical path of the run.
-- column time_ns BIGINT -- Time that the critical path of the run spends on them.
-- column share DOUBLE -- That time as a part of the whole path's.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- exact hops, bytes
-- uses hop_trees, run_path, share_intervals, block_of
-- only-data waited_low, waited_high
-- bar share
-- empty error the trace has no such hops; `analyze trees` lists its trees, and `hopscope run --tree binomial -- ...` makes a trace that has hops
-- example analyze tree-edges trace --comm 0 --root 0
with chosen as materialized (
    select
        collective_id,
        phase
    from hop_trees
    where
        ($tree::varchar is null or tree = $tree::varchar)
        and ($comm::integer is null or comm = $comm::integer)
        and ($root::integer is null or root = $root::integer)
),

chosen_places as (
    select
        collective_id,
        dense_rank() over (order by collective_id) - 1 as nth
    from chosen
    group by collective_id
),

waited_measures as (  -- noqa: ST03
    select
        format('{} {}->{}', hops.phase, hops.src, hops.dst) as key,
        block_of(places.nth, (select count(*) from chosen_places)) as block,
        count(*) filter (where hops.binding = 'recv') as part,
        count(*) as whole
    from hops
    semi join chosen on hops.collective_id = chosen.collective_id and hops.phase = chosen.phase
    inner join chosen_places as places on hops.collective_id = places.collective_id
    group by hops.phase, hops.src, hops.dst, places.nth
),

path_blocks as (
    select
        block,
        sum(time_ns) as whole
    from run_path
    group by block
),

edge_blocks as (
    select
        format('{} {}->{}', hops.phase, hops.src, hops.dst) as key,
        run_path.block,
        sum(run_path.time_ns) as part
    from run_path
    inner join hops on run_path.hop_id = hops.hop_id
    semi join chosen on hops.collective_id = chosen.collective_id and hops.phase = chosen.phase
    group by hops.phase, hops.src, hops.dst, run_path.block
),

share_measures as (  -- noqa: ST03
    select
        edges.key,
        path_blocks.block,
        coalesce(edge_blocks.part, 0) as part,
        path_blocks.whole
    from (select distinct waited_measures.key from waited_measures) as edges
    cross join path_blocks
    left join edge_blocks
        on edges.key = edge_blocks.key and path_blocks.block is not distinct from edge_blocks.block
),

carried as (
    select
        hops.phase,
        hops.src,
        hops.dst,
        min(hops.link) as link,
        count(*) as hops,
        sum(hops.bytes) as bytes,
        median(hops.recv_end_ns - hops.send_begin_ns) as took_ns,
        avg((hops.binding = 'recv')::integer) as waited_share
    from hops
    semi join chosen on hops.collective_id = chosen.collective_id and hops.phase = chosen.phase
    group by hops.phase, hops.src, hops.dst
),

-- A hop that the path leaves half-way (a late receiver) weighs what the path spends on it, not what it took.
on_path as (
    select
        hops.phase,
        hops.src,
        hops.dst,
        count(distinct hops.hop_id) as hops,
        sum(stretches.end_ns - stretches.begin_ns) as time_ns
    from path_stretches as stretches
    inner join hops on stretches.hop_id = hops.hop_id
    semi join chosen on hops.collective_id = chosen.collective_id and hops.phase = chosen.phase
    where stretches.path = 'run'
    group by hops.phase, hops.src, hops.dst
),

whole as (
    select sum(end_ns - begin_ns) as time_ns
    from path_stretches
    where path = 'run'
)

select
    format('{} {}->{}', carried.phase, carried.src, carried.dst) as edge,
    carried.phase,
    carried.src,
    carried.dst,
    carried.link,
    carried.hops,
    carried.bytes::bigint as bytes,
    carried.took_ns::bigint as took_ns,
    carried.waited_share,
    waits.share_low as waited_low,
    waits.share_high as waited_high,
    coalesce(on_path.hops, 0)::bigint as on_path,
    coalesce(on_path.time_ns, 0)::bigint as time_ns,
    (coalesce(on_path.time_ns, 0) / whole.time_ns)::double as share,
    shares.share_low,
    shares.share_high
from carried
cross join whole
left join on_path
    on carried.phase = on_path.phase and carried.src = on_path.src and carried.dst = on_path.dst
left join share_intervals('waited_measures') as waits
    on format('{} {}->{}', carried.phase, carried.src, carried.dst) = waits.key
left join share_intervals('share_measures') as shares
    on format('{} {}->{}', carried.phase, carried.src, carried.dst) = shares.key
order by time_ns desc, carried.phase desc, carried.src asc, carried.dst asc
