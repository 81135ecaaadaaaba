-- Scaling table of several runs: speed-up, computation scaling and efficiencies.
--
-- Speed-up, computation scaling and global efficiency need the same problem in every run (strong scaling); a note says
-- where programs differ. See `analyze efficiency --help`.
--
-- grain also given
-- param also TRACES = null -- Another run, for the scaling table.
-- key run
-- column run INTEGER -- Number of the run, from 0.
-- column trace VARCHAR -- Trace of the run.
-- column ranks BIGINT -- Number of ranks in the run.
-- column time_ns BIGINT -- Time from the first communication to the last.
-- column speedup DOUBLE -- Time of the first run / time of this run.
-- column computation_scaling DOUBLE [share] -- Useful time of all ranks in the first run / useful time in this run.
-- column global_efficiency DOUBLE [share] -- Parallel efficiency x computation scaling.
-- column parallel_efficiency DOUBLE [share] -- As in `analyze efficiency`.
-- column load_balance DOUBLE [share] -- As in `analyze efficiency`.
-- column communication_efficiency DOUBLE [share] -- As in `analyze efficiency`.
-- column serialisation DOUBLE [share] -- As in `analyze efficiency`; null if unknown.
-- column transfer DOUBLE [share] -- As in `analyze efficiency`; null if unknown.
-- column note VARCHAR -- Why something is null.
-- narrow note, run
-- uses efficiency_input
-- then explain.scaling -- The replay on an ideal network.
-- bar global_efficiency
-- empty note the trace has neither communication nor a time from MPI_Init to MPI_Finalize, so there is no efficiency
-- example analyze efficiency trace-8 --also trace-16 --also trace-32
select * exclude (at_ns)
from efficiency_input
order by rank, at_ns, what, ref, place, text
