"""The description of `analyze history`, as the header of an analysis."""

DESCRIPTION = """\
-- Show how a program's runs developed from commit to commit.
--
-- DIR has a JSON file for each commit, as `analyze gate TRACE --history DIR` writes it (schemas/history.schema.json).
-- Keep DIR where CI finds it again. `change` is null between different machines, MPI libraries, commands or numbers
-- of ranks.
--
-- key commit
-- column commit VARCHAR -- First digits of the commit.
-- column date VARCHAR -- Start of its run.
-- column outcome VARCHAR -- passed, failed or undecided, over its gates.
-- column iteration_ns DOUBLE -- Mean time of an iteration, or of the run.
-- column iteration_low_ns DOUBLE -- Lower end of its interval; null for a single run with fewer than 15 iterations.
-- column iteration_high_ns DOUBLE -- Upper end of its interval.
-- column change DOUBLE [share] -- The difference from the entry before, as a share.
-- column problem VARCHAR -- Kind of the costliest problem; null if none.
-- column cost_share DOUBLE -- Its cost as a share of the run; 0 if none.
-- column efficiency DOUBLE [share] -- Parallel efficiency.
-- column changed VARCHAR -- Differences from the entry before: structure, machine.
-- column per VARCHAR -- iteration, or run.
-- column structure VARCHAR -- Digest of operations, counts, bytes, trees and algorithms.
-- only-data per, structure
-- narrow date, iteration_low_ns, outcome
-- example analyze history history
-- example analyze history history --html history.html
"""
