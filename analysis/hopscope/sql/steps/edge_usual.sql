-- The usual time of a hop over each edge: the median of those that their receiver waited for, from 5 on.
--
-- One row per directed pair and phase. What was not waited for was seen late, so its time says little.
create or replace view edge_usual as
select
    src,
    dst,
    phase,
    median(recv_end_ns - send_begin_ns) as usual_ns
from hops
where binding = 'recv'
group by src, dst, phase
having count(*) >= 5;
