-- From the first enter of a collective or of an application's message to the last one's end: the run without start-up and shutdown.
--
-- One row; both columns are null where nobody communicates.
create or replace view communication_window as
with ends as (
    select
        min(enter_ns) as begin_ns,
        max(greatest(enter_ns, leave_ns, complete_ns)) as end_ns
    from calls

    union all
    select
        min(least(send_begin_ns, recv_post_ns)) as begin_ns,
        max(greatest(send_begin_ns, send_end_ns, recv_end_ns)) as end_ns
    from messages
)

select
    min(begin_ns) as begin_ns,
    max(end_ns) as end_ns
from ends;
