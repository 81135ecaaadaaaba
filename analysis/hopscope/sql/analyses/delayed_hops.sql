-- How far single delayed hops moved the end of their collective, and where the delay was absorbed.
--
-- The hops that took longest beyond the median of their edge (of edges with 5 hops or more that were waited for). Each one's
-- collective is replayed with this hop at the edge's median and everything else as it was: what each rank spent between
-- its last message and its next one stays, and whatever waited for the hop moves up until something else is later.
-- amplification is how much of the delay reached the last leave: 1 if all of it, 0 if waiting for others absorbed it. It
-- says at which rank most was absorbed, the root of the subtree that hid it from the rest, and behind what. Sends that waited
-- for their receiver are taken as they were.
--
-- param limit BIGINT = 20 -- At most so many hops.
-- key hop_id
-- column hop_id BIGINT -- The hop.
-- column collective VARCHAR -- Its collective, COMM:SEQ.
-- column phase VARCHAR -- up, down or exchange.
-- column src INTEGER -- Sender.
-- column dst INTEGER -- Receiver.
-- column link VARCHAR -- Link class of the two.
-- column took_ns BIGINT -- Its time.
-- column usual_ns BIGINT -- Median time of a hop over this edge.
-- column delay_ns BIGINT -- The difference.
-- column moved_ns BIGINT -- How much earlier the last rank would have left without the delay.
-- column amplification DOUBLE -- moved_ns over delay_ns, 0 to 1.
-- column ranks BIGINT -- Ranks that would have left earlier.
-- column absorbed_at INTEGER -- Rank at which most of the delay was absorbed; null where none was.
-- column absorbed_ns BIGINT -- How much of it there.
-- column behind VARCHAR -- What was later there: a hop, or the rank's own arrival.
-- uses edge_usual
-- then verdicts.amplification -- The replay of each collective without the delay.
-- empty note no edge has 5 hops that were waited for; `hopscope run --tree binomial -- ...` makes a trace that has hops
-- example analyze delayed-hops trace --limit 5
with delayed as (
    select
        hops.hop_id,
        hops.collective_id
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    inner join edge_usual
        on hops.src = edge_usual.src and hops.dst = edge_usual.dst and hops.phase = edge_usual.phase
    where
        collectives.complete
        and hops.binding = 'recv'
        and hops.recv_end_ns - hops.send_begin_ns - edge_usual.usual_ns > greatest(hops.clock_error_ns, 0)
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
    hops.phase,
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
    on hops.src = edge_usual.src and hops.dst = edge_usual.dst and hops.phase = edge_usual.phase
left join delayed on hops.hop_id = delayed.hop_id

union all
select
    'call' as what,
    null as collective,
    calls.collective_id,
    null as hop_id,
    null as phase,
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
