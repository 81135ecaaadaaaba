-- The times at which the communication of the run began and ended.
--
-- From the first enter of a collective or begin of a message, but not before `run_start`, to the last leave or receive, of the whole run; null where it has
-- neither. What lies before is start-up, what lies after is shutdown.
--
-- uses run_start, after_start
create or replace view run_bounds as
with ends as (
    select
        first_enter_ns as begin_ns,
        coalesce(last_leave_ns, last_enter_ns, first_enter_ns) as end_ns
    from whole_collectives

    union all
    select
        least(send_begin_ns, recv_post_ns) as begin_ns,
        greatest(send_end_ns, recv_end_ns) as end_ns
    from whole_messages
),

communication as (
    select
        min(begin_ns) as first_ns,
        max(end_ns) as last_ns
    from ends
)

select
    after_start(communication.first_ns, communication.last_ns, run_start.at_ns) as first_ns,
    communication.last_ns
from communication
cross join run_start;
