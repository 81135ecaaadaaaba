-- Children of one node of the tree: whose message came last.
--
-- All times are on the node's own clock. In each collective, the child whose message completed last delayed the node
-- most.
--
-- grain at given
-- param at INTEGER = null -- The node, a trace-wide rank.
-- key child
-- column child INTEGER -- The child.
-- column share DOUBLE -- Share of the collectives in which the child's message completed last.
-- column share_low DOUBLE [share] -- Lower end of its interval of 95 %; null below 13 collectives.
-- column share_high DOUBLE [share] -- Upper end of its interval.
-- column binding_share DOUBLE -- Share of the collectives in which the node also waited for that message.
-- column binding_low DOUBLE [share] -- Lower end of its interval.
-- column binding_high DOUBLE [share] -- Upper end of its interval.
-- column undecided DOUBLE [share] -- Share in which the child's message was last, and it is unknown if the node waited.
-- column margin_ns BIGINT -- Median time between the previous message and the child's, if the child's is the last.
-- column collectives BIGINT -- Collectives in which the child sent to this node.
-- uses share_intervals, block_of
-- only-data binding_low, binding_high
-- bar share
-- empty error that rank receives no hop towards the root; `analyze trees` shows who has children
-- example analyze last-arrivals trace --at 0
with arrived as (
    select
        hops.collective_id,
        hops.src,
        max(hops.recv_end_ns) as recv_end_ns,
        arg_max(hops.binding, row(hops.recv_end_ns, hops.hop_id)) as binding
    from hops
    inner join collectives on hops.collective_id = collectives.collective_id
    where
        hops.dst = $at::integer
        and hops.role = 'up'
    group by hops.collective_id, hops.src
),

placed as materialized (
    select
        *,
        dense_rank() over (order by collective_id) - 1 as nth,
        row_number() over (partition by collective_id order by recv_end_ns desc, src asc) as place,
        recv_end_ns
        - lead(recv_end_ns) over (partition by collective_id order by recv_end_ns desc, src asc) as margin_ns
    from arrived
),

blocked as materialized (
    select
        *,
        block_of(nth, max(nth) over () + 1) as block
    from placed
),

last_measures as (  -- noqa: ST03
    select
        src as key,
        block,
        count(*) filter (where place = 1) as part,
        count(*) as whole
    from blocked
    group by src, block
),

binding_measures as (  -- noqa: ST03
    select
        src as key,
        block,
        count(*) filter (where place = 1 and binding = 'recv') as part,
        count(*) as whole
    from blocked
    group by src, block
),

children as (
    select
        src as child,
        (count(*) filter (where place = 1) / count(*))::double as share,
        (count(*) filter (where place = 1 and binding = 'recv') / count(*))::double as binding_share,
        (count(*) filter (where place = 1 and binding = 'undecided') / count(*))::double as undecided,
        round(median(margin_ns) filter (where place = 1))::bigint as margin_ns,
        count(*) as collectives
    from blocked
    group by src
)

select
    children.child,
    children.share,
    lasts.share_low,
    lasts.share_high,
    children.binding_share,
    bindings.share_low as binding_low,
    bindings.share_high as binding_high,
    children.undecided,
    children.margin_ns,
    children.collectives
from children
left join share_intervals('last_measures') as lasts on children.child = lasts.key
left join share_intervals('binding_measures') as bindings on children.child = bindings.key
order by children.child
