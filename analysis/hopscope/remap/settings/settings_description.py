"""What `analyze remap --for openmpi` and `--for mpich` say about themselves, in the format of the analyses' headers."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill

from hopscope.tuning.offered import NAMES

_TEXT = """\
-- The algorithms that @NAME@ itself has, with their predicted time per iteration.
--
-- The candidates are what the installed library says that it has for the operations that take the run's time:
-- @ASKED@ is asked, of the release that the run was made with. Each is judged by the same replay as Hopscope's own
-- algorithms, on what the messages of this run cost. The answer is a file that the library reads, with the words that
-- start a program with it: no engine takes part.
--
-- @SETTING@
--
@TOGETHER@
--
-- What has no schedule in the plan, or messages of sizes that no hop measured, is listed with the reason and not
-- judged; so is a part whose messages waited for their receives or held their senders in a way that the replay does not
-- know, or if the replay misses the run by more than 20 %; then the answer has three commands that are worth a run. A
-- candidate is suggested if it gains more than the replay of what ran errs, 10 % where long messages wait for their
-- receivers' answers, and if its slowest rerun that is expected is faster than the fastest one expected of what ran.
-- Else the setting is best left as it is. The interval of the gain is against what the
-- run took, with the 95 % interval of that. What a run in another place or at another time takes is not in it: run the
-- program with the setting and compare.
--
-- grain for = @FLAVOUR@
-- param launcher VARCHAR = null -- The launcher of the library that is to be asked; the first on PATH of the run's
--    release unless given.
-- param machine VARCHAR = null -- A machine file of `hopscope probe`, made with the run's MPI library: pairs of hosts
--    that no hop measured are as there.
-- param probe_missing VARCHAR = null -- A launcher with its options, in one word, such as 'mpirun -n 8': a job that it
--    starts measures what candidates lean on and no hop measured (pairs of hosts, sizes of messages, messages that meet
--    at interfaces and on links), and the question is asked again.
-- key name
-- column name VARCHAR -- The algorithm in the library's own words, with what it is for where there are several parts,
--    and today's.
-- column today BOOLEAN -- What ran.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration, replayed over this candidate.
-- column predicted_low_ns DOUBLE [ns] -- Between this and the next a rerun is expected. The same with the lowest costs
--    that the hops allow, and unmeasured pairs as fast as the fastest of their class; less what two runs differ by.
-- column predicted_high_ns DOUBLE [ns] -- The same with the highest costs that the hops allow, and unmeasured pairs as
--    slow as they may be; with how far the replay of today's run is off, and what two runs differ by, at least 4 %.
-- column measured_ns DOUBLE [ns] -- Mean time per iteration in the run itself.
-- column gain DOUBLE [share] -- Part of today's predicted_ns that this algorithm saves.
-- column gain_low DOUBLE [share] -- The least that it may save of what the run took.
-- column gain_high DOUBLE [share] -- The most.
-- column model_error DOUBLE [share] -- How far the replay of what ran is from the run.
-- column wan_crossings INTEGER -- The most WAN messages in one chain.
-- column wan_messages INTEGER -- WAN messages per collective.
-- column unmeasured_pairs INTEGER -- Pairs of hosts that it uses and that no hop of the run measured.
-- column unmeasured_interfaces INTEGER -- Hosts whose interface has several long messages at once, while none had
--    several in the run.
-- column unmeasured_links INTEGER -- Links between clusters or hosts that have several long messages at once, or long
--    messages both ways at once, while none had in the run.
-- column unmeasured_sizes INTEGER -- Sizes of its messages that are far from any that a hop had, by more than three
--    times, where bytes matter.
-- column chosen BOOLEAN -- This one is suggested; at most one is.
-- column comm INTEGER -- The communicator that the candidate is for; null if it is for several, or what ran.
-- column operation VARCHAR -- Its operation; null if it is for several parts, or what ran of them.
-- column bytes_min BIGINT [bytes] -- The least bytes that it is for; null likewise and of a barrier.
-- column bytes_max BIGINT [bytes] -- The most bytes.
-- column not_judged VARCHAR -- Why it is not predicted.
-- only-data predicted_low_ns, predicted_high_ns, comm, operation, bytes_min, bytes_max
-- narrow unmeasured_sizes, unmeasured_links, unmeasured_interfaces, unmeasured_pairs, today, wan_messages, model_error,
--    wan_crossings, measured_ns
-- bar predicted_ns
-- whole run
-- example analyze remap trace --for @FLAVOUR@ -o @FILE@
"""
_TOGETHER = (
    "A run may have several parts that settings tell apart: @PARTS@. Up to eight of them, those with the most time, "
    "are judged together. A setting may reach several communicators, and an algorithm is judged on all that it "
    "would run. The first row is the combination that is suggested, and the file has a @FILED@ for each part that "
    "gains more than the model errs while the others change too; the rest stays as it is. Where ranks do not wait "
    "for those of other parts, it is enough if a part's own iterations gain so much. The other rows are "
    "combinations and the candidates of each part by themselves (`comm`, `operation`, `bytes_min`, `bytes_max`)."
)
_OF = {
    "openmpi": {
        "@ASKED@": "`ompi_info`",
        "@FILE@": "rules.conf",
        "@PARTS@": "operations, numbers of ranks, and sizes more than four times apart",
        "@FILED@": "rule",
        "@SETTING@": """\
The file has dynamic rules, which Open MPI 4.1 and 5 read. They hold for the bytes that ran, and for
-- communicators of that many ranks; of Gather, Scatter, Scan and Exscan for any bytes, because there Open MPI goes by
-- the length of one element. Where `han` has the higher priority, as in release 5, the words make it pass the operation
-- on to `tuned`, whatever the bytes; all that ran of it is then set together or not at all. An Allreduce (in
-- release 5 also a Reduce, Bcast, Allgather or Barrier) over several hosts may also be set to the simple form of `han`,
-- with an algorithm inside hosts and one between them; the words then put `han` first for this operation.""",
    },
    "mpich": {
        "@ASKED@": "`mpivars`",
        "@FILE@": "settings.sh",
        "@PARTS@": "operations",
        "@FILED@": "variable",
        "@SETTING@": """\
The file has variables for a shell. They hold for all communicators and bytes. The device, which would compose the
-- operation inside and between hosts, is kept from it.""",
    },
}


def description_of(flavour: str) -> str:
    """flavour: `openmpi` or `mpich`."""
    words = {"@NAME@": NAMES[flavour], "@FLAVOUR@": flavour, **_OF[flavour]}
    together = fill(_with(words, _TOGETHER), 117, initial_indent="-- ", subsequent_indent="-- ")
    return _with({**words, "@TOGETHER@": together}, _TEXT)


def _with(words: Mapping[str, str], text: str) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text
