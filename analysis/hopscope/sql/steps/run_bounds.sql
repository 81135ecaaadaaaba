-- The times at which the communication of the run began and ended.
--
-- first_ns is the first enter of a collective or begin of a message in the whole run, but not before `run_start`.
-- last_ns is the last leave or receive. Both are null if the run has neither collectives nor messages. The time before
-- is start-up, the time after is shutdown.
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
