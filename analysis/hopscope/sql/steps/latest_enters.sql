-- The rank that entered each collective last, by the recorded clocks.
--
-- One row per complete collective of at least two ranks. If several ranks entered last at the same time, the lowest one
-- counts. `last_enters` tells if the clocks can decide.
create or replace view latest_enters as
select
    collective_id,
    last_rank as rank,
    last_enter_ns as enter_ns,
    comm_size
from collectives
where complete and comm_size > 1;
