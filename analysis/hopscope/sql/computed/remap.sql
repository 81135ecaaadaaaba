<<<<<<<< HEAD:analysis/hopscope/sql/computed/remap.sql
========
"""The headers of `analyze remap` and `analyze reorder`, in the format of the analyses' headers (header.py)."""

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

REMAP = f"""\
>>>>>>>> 08fbcd1a (advice: one pipeline for trees, settings and rank orders):analysis/hopscope/advice/descriptions.py
-- Candidate trees, or settings of the MPI library, with their predicted time per iteration.
--
-- An iteration is one collective, plus all that happens up to the next one. Every candidate is replayed over the whole
-- run with link costs from the hops that a rank waited for. The prediction screens; `hopscope tune` measures.
--
-- Without `--for`, candidates are the algorithms of Hopscope's engine. With it they are those of the installed library,
-- and the file has Open MPI's dynamic rules, for the bytes and ranks that ran, or MPICH's variables, for all.
--
-- Operations: Allreduce, Reduce, Bcast, Barrier, Gather, Scatter, Allgather, Allgatherv, Alltoall, Alltoallv,
-- Alltoallw, Reduce_scatter, Reduce_scatter_block, Scan, Exscan; Alltoallv and Alltoallw only where Hopscope's
-- engine ran them.
--
-- Up to eight selections (operations, communicators, sizes more than four times apart) have candidates of their own,
-- and the best of them are combined.
--
-- The interval covers `model_error`, what two runs differ by (4 %), and a factor of two for a candidate that
-- `extrapolates`. A candidate is suggested, and its file written, only if its whole interval is a gain. If the replay
-- misses the run by more than 20 %, or more than 10 % of the library's messages waited for their receives, nothing is
-- predicted.
--
-- param for hopscope|openmpi|mpich = "hopscope" -- Whose algorithms to try.
-- param algorithms VARCHAR = null -- The engine's algorithms to try, with commas, as in tree files; all by default.
-- param launcher VARCHAR = null -- Launcher of the MPI library to ask; the first on PATH of the run's release by
--    default.
-- key name
-- column name VARCHAR -- The algorithm, as in tree files or in the library's words; or `baseline: NAME`.
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
<<<<<<<< HEAD:analysis/hopscope/sql/computed/remap.sql
========
"""

REORDER = """\
-- A rank order that spends less time on slow links, as a file for the launcher.
--
-- Every host keeps its number of ranks. Each message and hop costs latency + bytes * time per byte, fitted by class
-- of link. METIS and swaps look for the order with the least sum.
--
-- `gain` is a share of that sum, `run_gain` one of the run's time by a replay. Hops of algorithms that follow the
-- hosts stay with the hosts. A class of link without waits counts half of the next slower one. If no rank waited,
-- messages only count.
--
-- The order is suggested, and its file written, only if it saves 1 % and the whole interval of `run_gain` is a gain
-- or null.
--
-- key link
-- column link VARCHAR -- Class of link, or `all`.
-- column messages BIGINT -- Messages and hops on such links, as it ran and in the new order.
-- column new_messages BIGINT -- Messages and hops on such links, as it ran and in the new order.
-- column bytes BIGINT -- Their bytes, likewise.
-- column new_bytes BIGINT [bytes] -- Their bytes, likewise.
-- column predicted_ns DOUBLE [ns] -- Sum of their predicted times, likewise; null if nothing was fitted.
-- column new_predicted_ns DOUBLE [ns] -- Sum of their predicted times, likewise; null if nothing was fitted.
-- column gain DOUBLE [share] -- Share of predicted_ns saved; without it, of the weighted messages (`all` only).
-- column run_gain DOUBLE [share] -- Share of the run's time saved (`all` only); null if not predicted.
-- column run_gain_low DOUBLE [share] -- Lower end of its interval.
-- column run_gain_high DOUBLE [share] -- Upper end of its interval.
-- column fitted_from BIGINT -- Messages that the costs were fitted from; 0: not measured.
-- column chosen BOOLEAN -- True if the new order is suggested.
-- whole run
-- only-data run_gain, run_gain_low, run_gain_high
-- narrow fitted_from, bytes, new_bytes, predicted_ns
-- bar new_predicted_ns
-- example analyze reorder trace -o hosts.txt
-- example analyze reorder trace --for slurm -o hosts.txt
"""
>>>>>>>> 08fbcd1a (advice: one pipeline for trees, settings and rank orders):analysis/hopscope/advice/descriptions.py
