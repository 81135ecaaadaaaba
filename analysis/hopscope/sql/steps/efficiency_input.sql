-- The input of the efficiencies: useful times, and the run as a program that an ideal network can execute.
--
-- what: the ranks' operations, `send` (or a receive for which a send waited), `wait` for that, `collective` and `end`, at one time in this order: what is
-- sent there is never waited for before; `rule`, one for each collective (its operation as text, its root's place); `block` of the communication (place), with
-- its begin and its first collective (ref); `cut` of a rank (ref) where a block (place) begins or the last one ends; `begin` and `finish` of the communication,
-- `startup` and `shutdown`: how long they are on the path, where they are left out; `obstacle` (text). ref is, of operations, the collective, or the message:
-- two numbers each, the second for a send that waited for its receive; place is the rank's number in the collective's communicator. ns is, of an operation, the
-- rank's time from the begin of the communication to it that no network can change: all but collectives, sends, receives, waits and tests; of a cut that outside
-- all MPI, whose differences are useful time; of the others when they were. Only operations have a rank.
--
-- uses communication_window, communication_blocks, block_cuts, left_out, mpi_until, replay_obstacles, members
create or replace view efficiency_input as
with operations as (  -- noqa: ST03
    select  -- noqa: AM07
        'send' as event,
        src as rank,
        send_begin_ns as at_ns,
        2 * message_id as ref
    from messages

    union all by name
    select
        'wait' as event,
        dst as rank,
        greatest(recv_wait_begin_ns, recv_post_ns) as at_ns,
        2 * message_id as ref
    from messages

    union all by name
    select
        'send' as event,
        dst as rank,
        recv_post_ns as at_ns,
        2 * message_id + 1 as ref
    from messages
    where binding = 'send'

    union all by name
    select
        'wait' as event,
        src as rank,
        send_wait_begin_ns as at_ns,
        2 * message_id + 1 as ref
    from messages
    where binding = 'send'

    union all by name
    select
        'collective' as event,
        calls.rank,
        calls.enter_ns as at_ns,
        calls.collective_id as ref,
        members.comm_rank as place
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    left join members on collectives.comm = members.comm and calls.rank = members.rank

    union all by name
    select
        'end' as event,
        ranks.rank,
        communication_window.end_ns as at_ns
    from ranks
    cross join communication_window
    where communication_window.end_ns is not null

    union all by name
    select
        'cut' as event,
        rank,
        at_ns,
        rank as ref,
        block as place
    from block_cuts
),

words as (
    select  -- noqa: AM07
        placed.event as what,
        if(placed.event = 'cut', null, placed.rank) as rank,
        placed.at_ns,
        greatest(
            placed.at_ns - communication_window.begin_ns
            - if(placed.event = 'cut', placed.mpi_ns, placed.communication_ns), 0
        )::bigint as ns,
        placed.ref,
        placed.place
    from mpi_until('operations') as placed
    cross join communication_window

    union all by name
    select
        'rule' as what,
        collective_id as ref,
        root as place,
        op as text
    from collectives

    union all by name
    select
        'block' as what,
        begin_ns as ns,
        collective_id as ref,
        block as place
    from communication_blocks

    union all by name
    select
        unnest(['begin', 'finish', 'startup', 'shutdown']) as what,
        unnest([
            communication_window.begin_ns,
            communication_window.end_ns,
            if(communication_window.is_whole, 0, left_out.startup_ns),
            if(communication_window.is_whole, 0, left_out.shutdown_ns)
        ]) as ns
    from communication_window
    cross join left_out
    where communication_window.begin_ns is not null

    union all by name
    select
        'obstacle' as what,
        obstacle as text
    from replay_obstacles
)

select
    * replace (
        what::enum(
            'send', 'wait', 'collective', 'end', 'rule', 'block', 'cut', 'begin', 'finish', 'startup',
            'shutdown', 'obstacle'
        ) as what,
        place::integer as place
    )
from words;
