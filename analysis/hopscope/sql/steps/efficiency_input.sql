-- The input of the efficiencies: useful times, and the run as a program that an ideal network can execute.
--
-- The column `what` has the kind of a row. Operations of ranks are `send` (also a receive for which a send waited),
-- `wait` for one of these, `collective` and `end`. Operations at the same time are in this order, so that nothing is
-- waited for before it is sent. `rule` is a collective, with its operation (text) and its root (place). `block` is a
-- block of the communication (place), with its begin and its first collective (ref). `cut` is the time at which a block
-- (place) begins for a rank (ref), or at which the last block ends. `begin` and `finish` are the times at which the
-- communication begins and ends. `startup` and `shutdown` are the lengths of these phases on the path, if they are left
-- out. `obstacle` is a sentence (text).
--
-- For an operation, ref is the collective or the message; each message has two numbers, the second for a send that
-- waited for its receive. place is the rank's number in the collective's communicator. ns of an operation is the part
-- of the rank's time since the begin of the communication that no network can change: all time but that in collectives,
-- sends, receives, waits and tests. ns of a cut is the time outside all MPI, so that differences of cuts are useful
-- time. ns of other rows is their time. Only operations have a rank.
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
