-- The usual time of a hop over each edge: the median of the hops that a receiver waited for, if there are at least 5.
--
-- One row per directed pair and role. A message that nobody waited for is noticed late, so its time says little. The
-- same holds for a message of the MPI library that was sent before its receiver began to wait for it, because a rank
-- receives only inside MPI.
create or replace view edge_usual as
select
    src,
    dst,
    role,
    median(recv_end_ns - send_begin_ns) as usual_ns
from hops
where binding = 'recv' and (source = 'tree' or recv_wait_begin_ns <= send_begin_ns + clock_error_ns)
group by src, dst, role
having count(*) >= 5;
