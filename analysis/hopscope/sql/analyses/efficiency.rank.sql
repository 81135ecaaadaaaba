-- Useful time of each rank: outside all MPI, between the first and the last communication of the run.
--
-- The mean of the shares is the parallel efficiency, the largest the communication efficiency.
--
-- grain by = rank
-- key rank
-- column rank INTEGER -- The rank.
-- column useful_ns BIGINT -- Useful time of the rank.
-- column useful_share DOUBLE -- Useful time as a share of the time between the first and the last communication.
-- column of_mean DOUBLE -- Useful time as a multiple of the ranks' mean.
-- column mpi_ns BIGINT -- Time of the rank in MPI.
-- uses useful_times, share_of
-- bar useful_share
-- empty note the trace has neither communication nor a time from MPI_Init to MPI_Finalize, so there is no efficiency
-- example analyze efficiency trace --by rank
select
    rank,
    useful_ns,
    share_of(useful_ns, time_ns)::double as useful_share,
    share_of(useful_ns, avg(useful_ns) over ())::double as of_mean,
    mpi_ns
from useful_times
order by useful_ns desc, rank asc
