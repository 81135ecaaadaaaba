"""What `analyze remap` says about itself, in the format of the analyses' headers (header.py)."""

from textwrap import fill

from hopscope.header import listed
from hopscope.remap.run.operations import OPERATIONS

_JUDGED = fill(
    f"Operations that are judged: {listed([name.removeprefix('MPI_') for name in OPERATIONS])}. How long each rank's "
    "part is, the calls tell; of Alltoallv and Alltoallw only the engine's messages do, so the MPI library's own are "
    "left out. Copies inside the collective count where the run had any.",
    117,
    initial_indent="-- ",
    subsequent_indent="-- ",
)

DESCRIPTION = f"""\
-- Candidate trees and other algorithms with their predicted time per iteration.
--
-- An iteration is one collective, plus all that happens up to the next one: computing, the application's messages and
-- other collectives. It is of the operation and communicator that the run spent most time in, among those that ran at
-- least twice, over a tree or, if nothing ran over one, by the MPI library's own algorithm with all its messages
-- recorded. From the hops of this run that a rank waited for, the model learns what a message costs on each class of
-- link, what the ranks themselves spend, and whether a host's interface sends one message at a time. If the run
-- emulated its links, what interfaces, shared links and ranks take is not learnt but known from the topology file;
-- traces in it count with their mean.
--
{_JUDGED}
--
-- Candidates are all algorithms of Hopscope's engine that serve the operation: trees of every shape, recursive
-- doubling, rings, leaders with each exchange between groups and each tree inside them, and others, whole or cut.
-- Where all hops had one size, they do not show what a byte takes. Candidates whose messages have other sizes are then
-- left out, and the answer says so. The rules of the tree file are for the bytes that were judged.
--
-- Every candidate is judged by replaying the whole run. The replay keeps each rank's own time between collectives and
-- the dependencies between the application's messages, and computes the waiting anew. A replay of today's tree should
-- reproduce today's run; the difference is the model's error. A tree is suggested, and its file written, only if it
-- gains more than that, and if its slowest rerun that is expected is faster than the fastest one expected of today's:
-- two runs of one program differ, too. Where the replay misses the run by more than 20 %, or more than 10 % of the
-- library's messages wait for their receives, nothing can be predicted. The answer then has three commands that are
-- worth a run.
--
-- A run may have several parts that a tree file can tell apart: operations, communicators with different members,
-- and sizes that are more than four times apart. Up to eight parts, those with the most time, are judged together.
-- Each gets candidates of its own, and the best of them are combined: what is replayed is the whole run with each
-- part over its candidate. The first row is the combination that is suggested, and the tree file has a rule for each
-- part that gains more than the model errs while the others change too; the rest stays as it is. Where ranks do not
-- wait for those of other parts, it is enough if the own iterations of a part that ran ten times or more gain that,
-- and 8 %. The other rows are combinations and the best candidates of each part by themselves (`comm`, `operation`,
-- `bytes_min`, `bytes_max`). `--tried` judges the part with the most time alone. Collectives that are in no part
-- keep their messages, and ranks may come to wait for them.
--
-- Of the library's algorithm, the replay takes the messages in the order in which each rank sent and needed them. Its
-- trace shows what the library spends on a message, not what Hopscope's engine does. So a gain over the library has to
-- be measured: run the program over the tree, then ask again with `--tried` and that run's trace. That says how much
-- that tree gained or lost, and candidates cost what the engine spent. A tree that was tried is suggested only if its
-- measured gain is more than chance within the two runs.
--
-- The first row is the best. Among trees that are as fast as the fastest within the model's error, it has the fewest
-- unmeasured pairs of hosts and, if several have as few, the fewest WAN messages.
--
-- A pair of hosts has two directions. One is measured if a rank waited for some hop that went that way, or if one that
-- nobody waited for came as fast as expected. The model assumes that an unmeasured pair is like the measured ones of
-- its class, and that a class without measurements is as slow as the next slower one.
-- That is a guess: such a link may be slower than any that was measured. So a candidate that uses unmeasured pairs
-- (`unmeasured_pairs`) is not suggested while one without them beats today's. The same holds for one that sends long
-- messages at once through a host's interface, if no interface had several in the run (`unmeasured_interfaces`), or
-- over a link between clusters, or both ways at once over a link, if none had (`unmeasured_links`), and for one with
-- messages of which the run had only far shorter and far longer ones (`unmeasured_sizes`). Its interval contains
-- what the unmeasured may be: a link as slow as the next slower class or, over the WAN, as 150 ms; an interface or a
-- link that is busy for as long as a message is on its way; a message as fast as the shortest and as slow as the
-- longest that was measured. With pairs as slow as the slowest measured one of their class, and sizes on a line
-- between the measured ones, it has to beat today's. `--probe-missing` measures what is unmeasured. Of an emulated
-- machine, the topology file tells what no hop measured.
--
-- With `--for openmpi` or `--for mpich` the candidates are the algorithms that the MPI library itself has, and the file
-- is a setting for it, of all parts that gain.
--
-- grain for = hopscope default
-- param search INTEGER = 2000 -- How many trees the local search may try; if the best tree uses unmeasured pairs, it
--    tries as many again over measured pairs only. 0: only the known shapes.
-- param tried VARCHAR = null -- The trace of the same program run over a tree, to measure against a run over the MPI
--    library.
-- param algorithms VARCHAR = null -- The algorithms that may be suggested, with commas: `tree`, `leaders`, `ring` and
--    the others of tree files; all unless given.
-- param machine VARCHAR = null -- A machine file of `hopscope probe`, made with the run's MPI library: pairs of hosts
--    that no hop measured are as there.
-- param probe_missing VARCHAR = null -- A launcher with its options, in one word, such as 'mpirun -n 8': a job that it
--    starts measures what candidates lean on and no hop measured (pairs of hosts, sizes of messages, messages that meet
--    at interfaces and on links), and the question is asked again.
-- key name
-- column name VARCHAR -- The algorithm: a shape of tree, another one by its name in tree files, `search` for a tree
--    found by the local search, `today: NAME`, or `tried: NAME` for that of `--tried`.
-- column today BOOLEAN -- What ran: a tree, or the library's algorithm.
-- column predicted_ns DOUBLE [ns] -- Mean time per iteration, replayed over this candidate.
-- column predicted_low_ns DOUBLE [ns] -- Between this and the next a rerun is expected. The same with the lowest costs
--    that the hops allow, and unmeasured pairs as fast as the fastest of their class; less what two runs differ by.
-- column predicted_high_ns DOUBLE [ns] -- The same with the highest costs that the hops allow, and unmeasured pairs as
--    slow as they may be; with how far the replay of today's run is off, and what two runs differ by, at least 4 %.
-- column measured_ns DOUBLE [ns] -- Mean time per iteration in the run itself; compare predicted_ns of `today`.
-- column gain DOUBLE [share] -- Part of today's predicted_ns that this tree saves.
-- column model_error DOUBLE [share] -- How far the replay of what ran is from the run; with `--tried`, the larger error
--    of the two runs.
-- column tried_ns DOUBLE [ns] -- Mean time per iteration in the run of `--tried`; null for all other trees.
-- column tried_gain DOUBLE [share] -- Part of measured_ns that this run saved; below zero, the engine lost.
-- column depth INTEGER -- Messages one after another from the deepest rank to the root; of an algorithm that
--    is no tree, the longest chain.
-- column fan_out INTEGER -- Most children of one rank; null for an algorithm that is no tree.
-- column wan_crossings INTEGER -- WAN messages one after another on the worst way to the root and back; of an
--    algorithm that is no tree, the most in one chain.
-- column wan_messages INTEGER -- WAN messages per collective.
-- column unmeasured_pairs INTEGER -- Pairs of hosts that this tree uses in a direction that no hop of the run measured.
-- column unmeasured_interfaces INTEGER -- Hosts whose interface has several long messages at once in this candidate,
--    while no interface had several in the run.
-- column unmeasured_links INTEGER -- Links between clusters or hosts that have several long messages at once, or long
--    messages both ways at once, while none had in the run.
-- column unmeasured_sizes INTEGER -- Sizes of its messages that are far from any that a hop had, by more than three
--    times, where bytes matter.
-- column chosen BOOLEAN -- This tree is suggested; at most one is.
-- column comm INTEGER -- The communicator that the candidate is for; null if it is for several parts, or what ran of
--    them.
-- column operation VARCHAR -- Its operation, or those of a tree that serves several; null likewise.
-- column bytes_min BIGINT [bytes] -- The least bytes that it is for; null likewise and of a barrier.
-- column bytes_max BIGINT [bytes] -- The most bytes.
-- only-data fan_out, tried_ns, tried_gain, comm, operation, bytes_min, bytes_max
-- narrow today, depth, wan_crossings, wan_messages, model_error, measured_ns, unmeasured_sizes, unmeasured_links,
--    unmeasured_interfaces, unmeasured_pairs, predicted_low_ns
-- bar predicted_ns
-- whole run
-- example analyze remap trace -o tree.json
-- example analyze remap trace --for openmpi -o rules.conf
-- example analyze remap trace --tried trace-over-tree
"""
