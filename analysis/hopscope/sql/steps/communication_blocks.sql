-- The time between the first and the last communication, cut into blocks of consecutive collectives for the bootstrap.
--
-- A block begins when the last rank enters its first collective (collective_id). The first block begins with the
-- communication, so that the blocks' times add up. Without collectives there is one block, whose collective_id is null.
--
-- uses block_of, communication_window
create or replace view communication_blocks as
with placed as (
    select
        collective_id,
        last_enter_ns,
        block_of(row_number() over (order by last_enter_ns, collective_id) - 1, count(*) over ()) as block
    from collectives
),

firsts as (
    select
        block,
        arg_min(collective_id, row(last_enter_ns, collective_id)) as collective_id,
        min(last_enter_ns) as enter_ns
    from placed
    group by block
)

select
    coalesce(firsts.block, 0) as block,
    firsts.collective_id,
    if(
        coalesce(firsts.block, 0) = 0,
        communication_window.begin_ns,
        greatest(firsts.enter_ns, communication_window.begin_ns)
    ) as begin_ns,
    lead(greatest(firsts.enter_ns, communication_window.begin_ns), 1, communication_window.end_ns)
        over (order by firsts.block) as end_ns
from communication_window
left join firsts on true
where communication_window.begin_ns is not null;
