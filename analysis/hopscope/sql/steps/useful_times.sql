-- Of each rank, the useful time: outside all MPI, between the first and the last communication of the run.
--
-- One row per rank; none where nobody communicates.
--
-- uses useful_blocks
create or replace view useful_times as
select
    rank,
    sum(time_ns)::bigint as time_ns,
    sum(mpi_ns)::bigint as mpi_ns,
    sum(useful_ns)::bigint as useful_ns
from useful_blocks
group by rank;
