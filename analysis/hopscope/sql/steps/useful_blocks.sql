-- Of each rank, the useful time in each block of the communication.
--
-- In the words of POP, useful computation: outside all MPI, between the first and the last communication of the run; of a rank with several threads that of
-- the first.
--
-- uses mpi_until, communication_blocks
create or replace view useful_blocks as
with cuts as (  -- noqa: ST03
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
    group by ranks.rank
),

to_the_next as (
    select
        rank,
        block,
        lead(at_ns) over in_order - at_ns as time_ns,
        lead(mpi_ns) over in_order - mpi_ns as mpi_ns
    from mpi_until('cuts')
    window in_order as (partition by rank order by block nulls last)
)

select
    rank,
    block,
    time_ns,
    mpi_ns,
    time_ns - mpi_ns as useful_ns
from to_the_next
where block is not null;
