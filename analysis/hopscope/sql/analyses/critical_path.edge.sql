-- Time on the run's critical path, by sender and receiver.
--
-- The row `none` is the time that the path spends on ranks. The edge at the top decides the speed of its tree.
-- `analyze critical-path --help` explains the path.
--
-- grain by = edge
-- key edge
-- column edge VARCHAR -- Sender and receiver, such as 3->5, or none.
-- column src INTEGER -- The edge's ranks; null for none.
-- column dst INTEGER -- The edge's ranks; null for none.
-- column link VARCHAR -- Link class of the two ranks; null for none.
-- columns of run_path_shares: time_ns, share, share_of_run, share_low, share_high
-- column hops_ns BIGINT -- The edge's time for hops inside collectives; the rest is for the program's messages.
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
        when edges.src is not null
            then link_class(edges.src, sender.host, sender.cluster, edges.dst, receiver.host, receiver.cluster)
    end as link,
    edges.time_ns,
    edges.share,
    edges.share_of_run,
    edges.share_low,
    edges.share_high,
    edges.hops_ns
from edges
left join ranks as sender on edges.src = sender.rank
left join ranks as receiver on edges.dst = receiver.rank
order by edges.key = 'none', edges.time_ns desc, edges.src asc, edges.dst asc
