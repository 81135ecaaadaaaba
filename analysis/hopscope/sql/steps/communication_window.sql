-- The time between the first and the last communication of the application: the run without start-up and shutdown.
--
-- The window begins at `run_start` if some rank communicates before that, unless the part of the run that was asked for
-- has a begin of its own. If ranks hardly compute between their own communications (less than 1 % of the run), all of
-- the work would be start-up. An example is an ensemble whose members communicate only at its end. In that case the
-- window is the whole run (is_whole): from the last end of MPI_Init to the last begin of MPI_Finalize. One row; times
-- are null if the run has neither.
--
-- uses run_start, after_start
create or replace view communication_window as
with communications as (
    select
        rank,
        enter_ns as begin_ns,
        greatest(enter_ns, leave_ns, complete_ns) as end_ns
    from whole_calls

    union all
    select
        src as rank,
        send_begin_ns as begin_ns,
        greatest(send_begin_ns, send_end_ns) as end_ns
    from whole_messages

    union all
    select
        dst as rank,
        recv_post_ns as begin_ns,
        greatest(recv_post_ns, recv_end_ns) as end_ns
    from whole_messages
),

between_communications as (
    select max(begin_ns) - min(end_ns) as time_ns
    from communications
    group by rank
),

bounds as (
    select
        run_start.at_ns as begin_ns,
        (
            select max(intervals.begin_ns)
            from whole_intervals as intervals
            where intervals.kind = 'finalize'
        ) as end_ns
    from run_start
),

asked_ends as (
    select
        min(enter_ns) as begin_ns,
        max(greatest(enter_ns, leave_ns, complete_ns)) as end_ns
    from calls

    union all
    select
        min(least(send_begin_ns, recv_post_ns)) as begin_ns,
        max(greatest(send_begin_ns, send_end_ns, recv_end_ns)) as end_ns
    from messages
),

asked_window as (
    select
        min(begin_ns) as begin_ns,
        max(end_ns) as end_ns
    from asked_ends
),

whole_run as (
    select
        begin_ns,
        end_ns,
        coalesce(
            part_from_ns() is null and part_to_ns() is null
            and begin_ns < end_ns
            and coalesce((select max(between_communications.time_ns) from between_communications), 0)
            < 0.01 * (end_ns - begin_ns),
            false
        ) as is_whole
    from bounds
)

select
    case
        when whole_run.is_whole then whole_run.begin_ns
        when part_from_ns() is null then after_start(asked_window.begin_ns, asked_window.end_ns, run_start.at_ns)
        else asked_window.begin_ns
    end as begin_ns,
    if(whole_run.is_whole, whole_run.end_ns, asked_window.end_ns) as end_ns,
    whole_run.is_whole
from whole_run
cross join asked_window
cross join run_start;
