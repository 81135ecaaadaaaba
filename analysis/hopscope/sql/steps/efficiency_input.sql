-- What the efficiencies are computed from: useful times, and the run as a program that an ideal network can execute.
--
-- what: `begin` and `finish` of the communication, and `mpi begin` and `mpi finish` of all MPI (at_ns); `block` of the communication, with its begin (at_ns)
-- and its first collective (ref); `useful` (useful_ns of a rank in a block); `obstacle` (text); and the ranks' operations: `send` (or a receive for which a
-- send waited), `wait` for that, `collective`, and `end`. ref is the collective, or the message: two numbers each, the second for a send that waited for its
-- receive. kept_ns is the rank's time from the begin of the communication to the operation that no network can change: all but collectives, sends, receives,
-- waits and tests.
--
-- uses communication_window, communication_blocks, mpi_spans, mpi_until, useful_blocks, replay_obstacles, members
create or replace view efficiency_input as
with operations as (  -- noqa: ST03
    select  -- noqa: AM07
        'send' as what,
        src as rank,
        send_begin_ns as at_ns,
        2 * message_id as ref
    from messages

    union all by name
    select
        'wait' as what,
        dst as rank,
        greatest(recv_wait_begin_ns, recv_post_ns) as at_ns,
        2 * message_id as ref
    from messages

    union all by name
    select
        'send' as what,
        dst as rank,
        recv_post_ns as at_ns,
        2 * message_id + 1 as ref
    from messages
    where binding = 'send'

    union all by name
    select
        'wait' as what,
        src as rank,
        send_wait_begin_ns as at_ns,
        2 * message_id + 1 as ref
    from messages
    where binding = 'send'

    union all by name
    select
        'collective' as what,
        calls.rank,
        calls.enter_ns as at_ns,
        calls.collective_id as ref,
        collectives.op,
        collectives.root,
        members.comm_rank
    from calls
    inner join collectives on calls.collective_id = collectives.collective_id
    left join members on collectives.comm = members.comm and calls.rank = members.rank

    union all by name
    select
        'end' as what,
        ranks.rank,
        communication_window.end_ns as at_ns
    from ranks
    cross join communication_window
    where communication_window.end_ns is not null
)

select  -- noqa: AM07
    placed.what,
    placed.rank,
    placed.at_ns,
    (placed.at_ns - communication_window.begin_ns - placed.communication_ns)::bigint as kept_ns,
    placed.ref,
    placed.op,
    placed.root,
    placed.comm_rank
from mpi_until('operations') as placed
cross join communication_window

union all by name
select
    'block' as what,
    block,
    begin_ns as at_ns,
    collective_id as ref
from communication_blocks

union all by name
select
    'useful' as what,
    rank,
    block,
    useful_ns
from useful_blocks

union all by name
select
    'obstacle' as what,
    obstacle
from replay_obstacles

union all by name
select
    unnest(['begin', 'finish', 'mpi begin', 'mpi finish']) as what,
    unnest([
        any_value(communication_window.begin_ns), any_value(communication_window.end_ns),
        min(mpi_spans.begin_ns), max(mpi_spans.end_ns)
    ]) as at_ns
from communication_window
cross join mpi_spans
where communication_window.begin_ns is not null
having count(*) > 0;
