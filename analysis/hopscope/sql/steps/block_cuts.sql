-- The times at which each rank's useful time is cut into blocks of the communication.
--
-- A rank has a row where each block begins, and a row without block where the last one ends.
--
-- uses communication_blocks
create or replace view block_cuts as
select
    ranks.rank,
    communication_blocks.block,
    communication_blocks.begin_ns as at_ns
from ranks
cross join communication_blocks

union all
select
    ranks.rank,
    null as block,
    max(communication_blocks.end_ns) as at_ns
from ranks
cross join communication_blocks
group by ranks.rank;
