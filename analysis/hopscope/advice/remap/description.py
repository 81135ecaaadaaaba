"""The header of `analyze remap`, in the format of the analyses' headers (header.py)."""

from textwrap import fill

from hopscope.query.header import comma_list
from hopscope.replay.run.operations import OPERATIONS

_OPERATIONS = fill(
    f"Operations: {comma_list([name.removeprefix('MPI_') for name in OPERATIONS])}; Alltoallv and Alltoallw only where "
    "Hopscope's engine ran them.",
    117,
    initial_indent="-- ",
    subsequent_indent="-- ",
)

DESCRIPTION = f"""\
-- Candidate trees, or settings of the MPI library, with their predicted time per iteration.
--
-- An iteration is one collective, plus all that happens up to the next one. Every candidate is replayed over the whole
-- run with link costs from the hops that a rank waited for. The prediction screens; `hopscope tune` measures.
--
-- Without `--for`, candidates are the algorithms of Hopscope's engine. With it they are those of the installed library,
-- and the file has Open MPI's dynamic rules, for the bytes and ranks that ran, or MPICH's variables, for all.
--
{_OPERATIONS}
--
-- Up to eight selections (operations, communicators, sizes more than four times apart) have candidates of their own,
-- and the best of them are combined.
--
-- The interval covers `model_error`, what two runs differ by (at least 4 %), and a factor of two for a candidate that
-- `extrapolates`. A candidate is suggested, and its file written, only if its whole interval is a gain. If the replay
-- misses the run by more than 20 %, or more than 10 % of the library's messages waited for their receives, nothing is
-- predicted.
--
-- param for hopscope|openmpi|mpich = "hopscope" -- Whose algorithms to try.
-- param search INTEGER = 2000 -- Trees that the local search may try; 0: known shapes only.
-- param algorithms VARCHAR = null -- The engine's algorithms to try, with commas, as in tree files; all by default.
-- param launcher VARCHAR = null -- Launcher of the MPI library to ask; the first on PATH of the run's release by
--    default.
-- key name
-- column name VARCHAR -- The algorithm, as in tree files or in the library's words; `search` for a tree of the local
--    search; or `baseline: NAME`.
-- column baseline BOOLEAN -- True for what ran.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration by the replay.
-- column predicted_low_ns DOUBLE [ns] -- Lower end of its interval.
-- column predicted_high_ns DOUBLE [ns] -- Upper end of its interval.
-- column measured_ns DOUBLE [ns] -- Mean time per iteration in the run.
-- column gain DOUBLE [share] -- Share of the baseline's predicted_ns saved.
-- column gain_low DOUBLE [share] -- Lower end of its interval.
-- column gain_high DOUBLE [share] -- Upper end of its interval.
-- column model_error DOUBLE [share] -- Error of the replay of the baseline.
-- column depth INTEGER -- Messages in sequence, all and WAN; null for what the library ran.
-- column wan_crossings INTEGER -- Messages in sequence, all and WAN; null for what the library ran.
-- column wan_messages INTEGER -- WAN messages per collective.
-- column extrapolates VARCHAR -- Links or sizes that it uses and the run did not measure.
-- column chosen BOOLEAN -- True if suggested.
-- column comm INTEGER -- Its communicator; null for several.
-- column operation VARCHAR -- Its operations.
-- column bytes_min BIGINT [bytes] -- Bytes that it is for, least and most; null for several selections.
-- column bytes_max BIGINT [bytes] -- Bytes that it is for, least and most; null for several selections.
-- column not_predicted VARCHAR -- Why it has no prediction.
-- only-data gain_low, gain_high, comm, operation, bytes_min, bytes_max
-- narrow not_predicted, baseline, depth, wan_crossings, wan_messages, model_error, measured_ns, extrapolates,
--    predicted_low_ns
-- bar predicted_ns
-- whole run
-- example analyze remap trace -o tree.json
-- example analyze remap trace --for openmpi -o rules.conf
"""
