"""What `analyze history` says about itself, as the header of an analysis."""

DESCRIPTION = """\
-- Show how a program's runs developed from commit to commit.
--
-- DIR has a small JSON file for each commit, which `analyze gate TRACE --history DIR` wrote
-- (schemas/history.schema.json): the time of an iteration with its interval, the costliest problem, the parallel
-- efficiency, a digest of what ran, and what times depend on. Keep DIR where CI finds it again, as in a cache.
--
-- Times of different machines, MPI libraries, commands or numbers of ranks are not compared: `change` is empty there.
--
-- key commit
-- column commit VARCHAR -- The first digits of the commit.
-- column date VARCHAR -- When its run started.
-- column outcome VARCHAR -- What its gates came to: passed, failed or undecided.
-- column iteration_ns DOUBLE -- Time of an iteration of the whole run, or of the run where it has none.
--    The mean over its runs.
-- column iteration_low_ns DOUBLE -- Lower end of its interval of 95 %.
--    Null of a single run with fewer than 15 iterations.
-- column iteration_high_ns DOUBLE -- Upper end of it.
-- column change DOUBLE [share] -- The difference from the entry before, as part of that.
--    Null where they cannot be compared.
-- column problem VARCHAR -- The kind of the costliest problem; null where there is none.
-- column cost_share DOUBLE -- What it costs, as part of the run; 0 where there is none.
-- column efficiency DOUBLE [share] -- Parallel efficiency.
-- column changed VARCHAR -- What is not as in the entry before: structure, machine.
-- column per VARCHAR -- iteration, or run.
-- column structure VARCHAR -- Digest of what ran: operations, counts, bytes, trees and algorithms, but no call sites.
-- only-data per, structure
-- narrow date, iteration_low_ns, outcome
-- example analyze history history
-- example analyze history history --html history.html
"""
