-- Time on the run's critical path, by the pair of ranks whose message it runs over.
--
-- One row per directed edge that the path used, and one row `none` for the time that it spent on ranks. An edge that leads here decides the speed
-- of its tree. The path itself is explained in `analyze critical-path --help`.
--
-- grain by = edge
-- key edge
-- column edge VARCHAR -- Sender and receiver, as 3->5; none for the time that is on no edge.
-- column src INTEGER -- Sender; null for none.
-- column dst INTEGER -- Receiver; null for none.
-- column link VARCHAR -- Link class of the two ranks; null for none.
-- column time_ns BIGINT -- Time that the path spends there.
-- column share DOUBLE -- Part of the path's time.
-- column share_low DOUBLE [share] -- Lower end of the share's interval.
-- column share_high DOUBLE [share] -- Upper end of the share's interval.
-- column hops_ns BIGINT -- The part of time_ns that is hops inside collectives; the rest is the application's messages.
-- uses run_path_shares
-- bar share
-- empty note the critical path has no length: no time passes from the first event to the last
-- example analyze critical-path trace --by edge
with edges as (
    select
        *,
        nullif(split_part(key, '->', 1), 'none')::integer as src,
        nullif(split_part(key, '->', 2), '')::integer as dst
    from run_path_shares(coalesce(edge, 'none'))
)

select
    edges.key as edge,
    edges.src,
    edges.dst,
    case
        when edges.src is null then null
        when edges.src = edges.dst then 'self'
        when sender.host = receiver.host then 'shm'
        when sender.cluster = receiver.cluster then 'lan'
        else 'wan'
    end as link,
    edges.time_ns,
    edges.share,
    edges.share_low,
    edges.share_high,
    edges.hops_ns
from edges
left join ranks as sender on edges.src = sender.rank
left join ranks as receiver on edges.dst = receiver.rank
order by edges.key = 'none', edges.time_ns desc, edges.src asc, edges.dst asc
