-- What each rank computed since its last collective, at the enter of each call, and what the others did.
--
-- One row per call. usual_ns is the median over the members of the same collective; released_ns is when the rank left its last collective.
--
-- uses computing_gaps
create or replace view computed_before as
with entered as materialized (
    select
        calls.collective_id,
        calls.rank,
        calls.enter_ns,
        lag(calls.leave_ns) over (partition by calls.rank order by calls.enter_ns, calls.call_id) as released_ns
    from calls
),

computed as (
    select
        ends.collective_id,
        ends.rank,
        sum(gaps.computing_ns) as computing_ns
    from computing_gaps as gaps
    asof inner join entered as ends on gaps.rank = ends.rank and gaps.end_ns <= ends.enter_ns
    group by ends.collective_id, ends.rank
)

select
    entered.collective_id,
    entered.rank,
    entered.enter_ns,
    entered.released_ns,
    coalesce(computed.computing_ns, 0) as computing_ns,
    median(coalesce(computed.computing_ns, 0)) over (partition by entered.collective_id) as usual_ns
from entered
left join computed on entered.collective_id = computed.collective_id and entered.rank = computed.rank;
