"""The header of `analyze model`, in the format of the analyses' headers (header.py)."""

DESCRIPTION = """\
-- Parameters of Hockney, LogGP and PLogP by link.
--
-- Give it a machine file or a trace with hops.
--
-- Hockney: m bytes take alpha(m) + m beta(m). PLogP: o_s(m) and o_r(m) are the time in MPI of sender and receiver,
-- g(m) the time between two messages, L half a round trip less g. LogGP: o is the mean overhead and g the gap of the
-- smallest message, L the rest of its way, G the gap per byte of the largest. gamma is the time to combine a byte.
--
-- A trace's links come from hops that were waited for and met no other message. Sizes that are all alike give no
-- beta, and alpha only if they are shortest. From the size on at which the library announces messages, alpha is three
-- times as long.
--
-- param operation VARCHAR = "MPI_SUM" -- Combining operation, for gamma.
-- param type VARCHAR = "MPI_DOUBLE" -- Combined type, for gamma.
-- param machine VARCHAR = null -- Machine file that tells where the hosts of a trace are.
-- key link, source, destination, model, parameter, bytes, destinations
-- column link VARCHAR -- Class of the link; null for what belongs to none.
-- column source VARCHAR -- Sending and receiving host; null for a whole class.
-- column destination VARCHAR -- Sending and receiving host; null for a whole class.
-- column outlying BOOLEAN -- True if this pair is unlike its class.
-- column model VARCHAR -- Hockney, LogGP or PLogP; null for gamma and for gaps towards several destinations.
-- column parameter VARCHAR -- Its name.
-- column bytes BIGINT -- Message size; null for every size.
-- column destinations INTEGER -- Destinations in a row; null if any.
-- column value DOUBLE [of unit] -- Its value.
-- column unit VARCHAR -- ns or ns/byte.
-- column low DOUBLE [of unit] -- Lower end of its interval; null if unknown.
-- column high DOUBLE [of unit] -- Upper end of its interval.
-- column count BIGINT -- Measurements.
-- narrow outlying, count
-- only-data unit
-- whole run
-- empty note The links were not measured; give the probe more seconds.
-- example analyze model machine.json
-- example analyze model trace --machine machine.json
"""
