-- The members of each communicator, one row each, with their rank in it.
--
-- comm_rank counts from 0 in the communicator's order; rank is trace-wide.
create or replace view members as
select
    comm,
    unnest(members) as rank,
    unnest(range(len(members)))::integer as comm_rank
from comms;
