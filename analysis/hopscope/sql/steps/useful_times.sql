-- Each rank's useful time: outside all MPI, between the first and the last communication of the run.
--
-- The POP project calls it useful computation. One row per rank; no row without a `communication_window`.
--
-- uses mpi_until, block_cuts
create or replace view useful_times as
select
    rank,
    max(at_ns) - min(at_ns) as time_ns,
    max(mpi_ns) - min(mpi_ns) as mpi_ns,
    max(at_ns - mpi_ns) - min(at_ns - mpi_ns) as useful_ns
from mpi_until('block_cuts')
group by rank;
