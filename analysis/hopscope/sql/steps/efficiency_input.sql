-- What the efficiencies are computed from: useful times, and the run as a program that an ideal network can execute.
--
-- what: `begin` and `finish` of the communication, and `mpi begin` and `mpi finish` of all MPI (at_ns); `rank` (its useful_ns); `obstacle` (text); and the
-- ranks' operations: `send` (or a receive for which a send waited), `wait` for that, `collective`, and `end`. ref is the collective, or the message: two
-- numbers each, the second for a send that waited for its receive. kept_ns is the rank's time from the begin of the communication to the operation that no
-- network can change: all but collectives, sends, receives, waits and tests.
--
-- uses communication_window, mpi_spans, useful_times, replay_obstacles, members
create or replace view efficiency_input as
with communication as (
    select
        rank,
        begin_ns,
        end_ns,
        sum(end_ns - begin_ns) over (
            partition by rank order by begin_ns, end_ns rows between unbounded preceding and current row
        ) - (end_ns - begin_ns) as before_ns
    from mpi_spans
    where communicates
),

operations as (
    select
        'send' as what,
        src as rank,
        send_begin_ns as at_ns,
        2 * message_id as ref,
        null as op,
        null as root,
        null as comm_rank
    from messages

    union all
    select
        'wait' as what,
        dst as rank,
        greatest(recv_wait_begin_ns, recv_post_ns) as at_ns,
        2 * message_id as ref,
        null as op,
        null as root,
        null as comm_rank
    from messages

    union all
    select
        'send' as what,
        dst as rank,
        recv_post_ns as at_ns,
        2 * message_id + 1 as ref,
        null as op,
        null as root,
        null as comm_rank
    from messages
    where binding = 'send'

    union all
    select
        'wait' as what,
        src as rank,
        send_wait_begin_ns as at_ns,
        2 * message_id + 1 as ref,
        null as op,
        null as root,
        null as comm_rank
    from messages
    where binding = 'send'

    union all
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

    union all
    select
        'end' as what,
        useful_times.rank,
        communication_window.end_ns as at_ns,
        null as ref,
        null as op,
        null as root,
        null as comm_rank
    from useful_times
    cross join communication_window
),

-- Without the communication that lies before it.
placed as (
    select
        operations.*,
        operations.at_ns - communication_window.begin_ns
        - coalesce(
            communication.before_ns + least(operations.at_ns, communication.end_ns) - communication.begin_ns, 0
        ) as kept_ns
    from operations
    cross join communication_window
    asof left join communication
        on operations.rank = communication.rank and operations.at_ns >= communication.begin_ns
)

select
    what,
    rank,
    at_ns,
    kept_ns::bigint as kept_ns,
    ref,
    op,
    root,
    comm_rank,
    null::bigint as useful_ns,
    null::varchar as obstacle
from placed

union all
select
    'rank' as what,
    rank,
    null as at_ns,
    null as kept_ns,
    null as ref,
    null as op,
    null as root,
    null as comm_rank,
    useful_ns,
    null as obstacle
from useful_times

union all
select
    'obstacle' as what,
    null as rank,
    null as at_ns,
    null as kept_ns,
    null as ref,
    null as op,
    null as root,
    null as comm_rank,
    null as useful_ns,
    obstacle
from replay_obstacles

union all
select
    unnest(['begin', 'finish', 'mpi begin', 'mpi finish']) as what,
    null as rank,
    unnest([
        any_value(communication_window.begin_ns), any_value(communication_window.end_ns),
        min(mpi_spans.begin_ns), max(mpi_spans.end_ns)
    ]) as at_ns,
    null as kept_ns,
    null as ref,
    null as op,
    null as root,
    null as comm_rank,
    null as useful_ns,
    null as obstacle
from communication_window
cross join mpi_spans
where communication_window.begin_ns is not null
having count(*) > 0;
