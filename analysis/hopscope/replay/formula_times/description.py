"""The header of `analyze formulas`, in the format of the analyses' headers (header.py)."""

DESCRIPTION = """\
-- Time of barrier, broadcast, reduce and alltoall by published formulas, by the replay and as measured.
--
-- Give it a trace with hops or a machine file. The formulas take one class of links for every message. The replay
-- sends the engine's messages over the ranks' own links; for a machine file, with each rank on its own host under
-- LogGP.
--
-- A collective is measured from its last enter to its last leave. It counts if first and last enter lie within a
-- tenth of that; `skewed` counts the others.
--
-- param operation VARCHAR = null -- Only this operation.
-- param link VARCHAR = null -- Class of links; the farthest with parameters by default.
-- param machine VARCHAR = null -- Machine file with the parameters, beside a trace.
-- key operation, algorithm, ranks, bytes, segment_bytes
-- column operation VARCHAR -- The MPI function.
-- column algorithm VARCHAR -- The published algorithm.
-- column ranks INTEGER -- Number of ranks.
-- column bytes BIGINT -- Message size; of MPI_Alltoall, of each block.
-- column segment_bytes BIGINT -- Segment size; 0 for whole messages.
-- column link VARCHAR -- The class of links.
-- column hockney_ns DOUBLE -- By Hockney's formula; null without parameters.
-- column loggp_ns DOUBLE -- By LogGP's; null without parameters.
-- column plogp_ns DOUBLE -- By PLogP's; null without parameters.
-- column replay_ns DOUBLE -- By the replay; null without the algorithm or parameters, or with too many messages.
-- column measured_ns DOUBLE -- Median of the trace; null if it has none.
-- column low_ns DOUBLE -- Lower end of its interval; null for one collective.
-- column high_ns DOUBLE -- Upper end of its interval.
-- column collectives BIGINT -- Collectives measured.
-- column skewed BIGINT -- Collectives entered too far apart.
-- narrow segment_bytes, link, low_ns, high_ns, skewed
-- whole run
-- empty note No link has the parameters of a model; give the probe more seconds.
-- example analyze formulas trace --operation MPI_Bcast
-- example analyze formulas trace --machine machine.json
-- example analyze formulas machine.json
"""
