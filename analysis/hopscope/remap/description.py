"""What `analyze remap` says about itself, in the format of the analyses' headers (header.py)."""

from textwrap import fill

from hopscope.header import listed
from hopscope.remap.run.operations import OPERATIONS

_OPERATIONS = fill(
    f"Operations: {listed([name.removeprefix('MPI_') for name in OPERATIONS])}; Alltoallv and Alltoallw only where "
    "Hopscope's engine ran them.",
    117,
    initial_indent="-- ",
    subsequent_indent="-- ",
)

DESCRIPTION = f"""\
-- Candidate trees, or settings of the MPI library, with their predicted time per iteration.
--
-- An iteration is one collective, plus all that happens up to the next one. It is of the operation and communicator
-- that the run spent most time in, among those that ran at least twice. The hops that a rank waited for show what a
-- message costs on each class of link, what ranks spend themselves, and whether a host's interface sends one message at
-- a time. Every candidate is replayed over the run, or 200 iterations of it: each rank keeps its own time between
-- collectives, and the application's messages stay dependencies. The prediction screens; a measurement decides:
-- `hopscope tune`.
--
-- Without `--for`, candidates are the algorithms of Hopscope's engine: trees of every shape, recursive doubling, rings,
-- leaders and others, whole or cut. With `--for openmpi` or `--for mpich` they are what the installed library says that
-- it has, and the file is one that it reads: dynamic rules, which hold for the bytes that ran and for communicators of
-- that many ranks, or variables for a shell, which hold for all. What cannot be predicted is listed all the same.
--
{_OPERATIONS}
--
-- A run may have several selections that rules tell apart: operations, communicators, and sizes more than four times
-- apart; up to eight are looked at. Each has candidates of its own, and the best of them are combined.
--
-- The interval has three sources: how far the replay of the baseline is from the run (`model_error`), how far apart two
-- runs are (at least 4 %), and a factor of two for a candidate that uses what the run did not measure (`extrapolates`).
-- The first row is the suggestion, and its file is written, only if its whole interval is a gain. If the replay misses
-- the run by more than 20 %, or more than 10 % of the library's messages waited for their receives, nothing is
-- predicted.
--
-- param for hopscope|openmpi|mpich = "hopscope" -- Whose algorithms are looked for.
-- param search INTEGER = 2000 -- How many trees the local search may try. 0: only the known shapes.
-- param algorithms VARCHAR = null -- The engine's algorithms that may be suggested, with commas: `tree`, `leaders`,
--    `ring` and the others of tree files; all unless given.
-- param launcher VARCHAR = null -- The launcher of the MPI library that is to be asked; the first on PATH of the run's
--    release unless given.
-- key name
-- column name VARCHAR -- The algorithm: a shape of tree, another one by its name in tree files, `search` for a tree
--    found by the local search, one in the library's own words, or `baseline: NAME`.
-- column baseline BOOLEAN -- What ran.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration, replayed over this candidate.
-- column predicted_low_ns DOUBLE [ns] -- Lower end of its interval.
-- column predicted_high_ns DOUBLE [ns] -- Upper end.
-- column measured_ns DOUBLE [ns] -- Mean time per iteration in the run itself.
-- column gain DOUBLE [share] -- Part of the baseline's predicted_ns that this candidate saves.
-- column gain_low DOUBLE [share] -- Lower end of its interval.
-- column gain_high DOUBLE [share] -- Upper end.
-- column model_error DOUBLE [share] -- How far the replay of the baseline is from the run.
-- column depth INTEGER -- The longest chain of messages; null for what the library ran.
-- column wan_crossings INTEGER -- The most WAN messages in one chain; null likewise.
-- column wan_messages INTEGER -- WAN messages per collective.
-- column extrapolates VARCHAR -- What it uses that the run did not measure.
-- column chosen BOOLEAN -- This candidate is suggested; at most one is.
-- column comm INTEGER -- The communicator that it is for; null if it is for several.
-- column operation VARCHAR -- Its operations.
-- column bytes_min BIGINT [bytes] -- The least bytes that it is for; null if it is for several selections.
-- column bytes_max BIGINT [bytes] -- The most bytes.
-- column not_predicted VARCHAR -- Why it has no prediction.
-- only-data gain_low, gain_high, comm, operation, bytes_min, bytes_max
-- narrow not_predicted, baseline, depth, wan_crossings, wan_messages, model_error, measured_ns, extrapolates,
--    predicted_low_ns
-- bar predicted_ns
-- whole run
-- example analyze remap trace -o tree.json
-- example analyze remap trace --for openmpi -o rules.conf
"""
