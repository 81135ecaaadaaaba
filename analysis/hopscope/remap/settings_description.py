"""What `analyze remap --for openmpi` and `--for mpich` say about themselves, in the format of the analyses' headers."""

from __future__ import annotations

from hopscope.tuning.offered import NAMES

_TEXT = """\
-- The algorithms that @NAME@ itself has, with their predicted time per iteration.
--
-- The candidates are what the installed library says that it has for the operation in which the run spent most time:
-- @ASKED@ is asked, of the release that the run was made with. Each is judged by the same replay as Hopscope's own
-- algorithms, on what the messages of this run cost. The answer is a file that the library reads, with the words that
-- start a program with it: no engine takes part.
--
-- @SETTING@
--
-- What has no schedule in the plan, or messages of sizes that no hop measured, is listed with the reason and not
-- judged. A candidate is suggested if it gains more than the replay of what ran errs; else the setting is best left as
-- it is. The interval of the gain is against what the run took, with the 95 % interval of that. What a run in another
-- place or at another time takes is not in it: run the program with the setting and compare.
--
-- grain for = @FLAVOUR@
-- param launcher VARCHAR = null -- The launcher of the library that is to be asked; the first on PATH of the run's
--    release unless given.
-- param machine VARCHAR = null -- A machine file of `hopscope probe`: pairs of hosts that no hop measured are as there.
-- param probe_missing VARCHAR = null -- A launcher with its options, in one word, such as 'mpirun -n 8': a job that it
--    starts measures the pairs of hosts that candidates need and no hop measured, and the question is asked again.
-- key name
-- column name VARCHAR -- The algorithm in the library's own words, and today's.
-- column today BOOLEAN -- What ran.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration, replayed over this candidate.
-- column predicted_low_ns DOUBLE [ns] -- Between this and the next a rerun is expected. The same with the lowest costs
--    that the hops allow, and unmeasured pairs as fast as the fastest of their class; less what two runs differ by.
-- column predicted_high_ns DOUBLE [ns] -- The same with the highest costs that the hops allow, and unmeasured pairs as
--    slow as they may be; with what today's run took beyond its replay, and what two runs differ by, at least 4 %.
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
-- column chosen BOOLEAN -- This one is suggested; at most one is.
-- column not_judged VARCHAR -- Why it is not predicted.
-- only-data predicted_low_ns, predicted_high_ns
-- narrow unmeasured_interfaces, unmeasured_pairs, today, wan_messages, model_error, wan_crossings, measured_ns
-- bar predicted_ns
-- example analyze remap trace --for @FLAVOUR@ -o @FILE@
"""
_OF = {
    "openmpi": {
        "@ASKED@": "`ompi_info`",
        "@FILE@": "rules.conf",
        "@SETTING@": """\
The file has dynamic rules, which Open MPI 4.1 and 5 read. They hold for the bytes that ran, and for
-- communicators of that many ranks; of Gather, Scatter, Scan and Exscan for any bytes, because there Open MPI goes by
-- the length of one element. Where `han` has the higher priority, as in release 5, the words make it pass the operation
-- on to `tuned`, whatever the bytes.""",
    },
    "mpich": {
        "@ASKED@": "`mpivars`",
        "@FILE@": "settings.sh",
        "@SETTING@": """\
The file has variables for a shell. They hold for all communicators and bytes. The device, which would compose the
-- operation inside and between hosts, is kept from it.""",
    },
}


def description_of(flavour: str) -> str:
    """flavour: `openmpi` or `mpich`."""
    text = _TEXT
    for word, value in {"@NAME@": NAMES[flavour], "@FLAVOUR@": flavour, **_OF[flavour]}.items():
        text = text.replace(word, value)
    return text
