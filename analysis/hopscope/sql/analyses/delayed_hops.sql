-- Single delayed hops, and how far each moved the end of its collective.
--
-- A hop's delay is its time beyond the median of its edge. Rows are the longest delays, on edges with at least 5 hops
-- that were waited for. Each collective is replayed without the delay.
--
-- param limit BIGINT = 20 -- At most this many hops.
-- key hop_id
-- column hop_id BIGINT -- Number of the hop.
-- column collective VARCHAR -- Its collective, COMM:SEQ.
-- column role VARCHAR -- up (towards one rank), down (from it) or exchange; null if unrecognised.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column tree VARCHAR -- The tree over which the hop ran; null if none.
-- column link VARCHAR -- Link class of the two ranks.
-- column took_ns BIGINT -- Time that the hop took.
-- column usual_ns BIGINT -- Median time of the edge's hops.
-- column delay_ns BIGINT -- took_ns - usual_ns.
-- column moved_ns BIGINT -- Time by which the collective would have ended earlier.
-- column amplification DOUBLE -- moved_ns / delay_ns: 1 if all of it reached the end, 0 if waiting absorbed it.
-- column ranks BIGINT -- Ranks that would have left earlier.
-- column absorbed_at INTEGER -- Rank that absorbed most of the delay; null if none did.
-- column absorbed_ns BIGINT -- Time that this rank absorbed; null if none did.
-- column behind VARCHAR -- What absorbed the delay at this rank: a later hop, or the rank's own arrival.
-- only-data tree
-- narrow hop_id, ranks, usual_ns, took_ns, role
-- uses edge_usual, hop_trees
-- then explain.amplification -- The replay of each collective without the delay.
-- empty note no hop was late on an edge with 5 hops that were waited for; `hopscope run --tree binomial -- ...` makes a trace that has hops
-- example analyze delayed-hops trace --limit 5
with delayed as (
    select
        hops.hop_id,
        hops.collective_id
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    inner join edge_usual
        on hops.src = edge_usual.src and hops.dst = edge_usual.dst and hops.role is not distinct from edge_usual.role
    where
        collectives.complete
        and hops.binding = 'recv'
        and hops.recv_end_ns - hops.send_begin_ns - edge_usual.usual_ns > greatest(hops.clock_error_ns, 0)
        -- The MPI library notices a message late if its receiver was outside MPI when the message usually arrives.
        and (hops.source = 'tree' or hops.recv_wait_begin_ns <= hops.send_begin_ns + edge_usual.usual_ns)
    order by hops.recv_end_ns - hops.send_begin_ns - edge_usual.usual_ns desc, hops.hop_id asc
    limit $limit
),

looked_at as (
    select distinct collective_id from delayed
)

select
    'hop' as what,
    collectives.comm::varchar || ':' || collectives.seq::varchar as collective,
    hops.collective_id,
    hops.hop_id,
    hops.role,
    case when hops.role in ('up', 'down') then hop_trees.tree end as tree,
    hops.link,
    hops.src,
    hops.dst,
    hops.send_begin_ns as begin_ns,
    hops.recv_end_ns as end_ns,
    coalesce(hops.recv_wait_begin_ns, hops.recv_end_ns) as ready_ns,
    least(round(edge_usual.usual_ns)::bigint, hops.recv_end_ns - hops.send_begin_ns) as usual_ns,
    hops.binding = 'recv' as waited,
    delayed.hop_id is not null as delayed
from hops
semi join looked_at on hops.collective_id = looked_at.collective_id
inner join collectives on hops.collective_id = collectives.collective_id
left join edge_usual
    on hops.src = edge_usual.src and hops.dst = edge_usual.dst and hops.role is not distinct from edge_usual.role
left join hop_trees on hops.collective_id = hop_trees.collective_id and hops.role = hop_trees.role
left join delayed on hops.hop_id = delayed.hop_id

union all
select
    'call' as what,
    null as collective,
    calls.collective_id,
    null as hop_id,
    null as role,
    null as tree,
    null as link,
    calls.rank as src,
    calls.rank as dst,
    calls.enter_ns as begin_ns,
    calls.leave_ns as end_ns,
    calls.enter_ns as ready_ns,
    null as usual_ns,
    false as waited,
    false as delayed
from calls
semi join looked_at on calls.collective_id = looked_at.collective_id
order by collective_id, what, end_ns, hop_id, src
