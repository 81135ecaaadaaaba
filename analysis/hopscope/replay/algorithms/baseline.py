"""The algorithm that Hopscope's engine ran in a recorded run: the rules of the run's own tree file."""

from __future__ import annotations

import json
from dataclasses import dataclass

from hopscope.errors import InputError
from hopscope.native import _plan
from hopscope.replay.algorithms.algorithm import Algorithm, longest
from hopscope.replay.algorithms.tree_file import TREE_KEYS
from hopscope.replay.run.calls import NO_ROOT, Call
from hopscope.replay.run.subject import Source, Subject


@dataclass(frozen=True)
class Filed(Algorithm):
    """An algorithm that takes the rule for each call from the text of a tree file, `file`. `name` and `rule` are
    for the longest call."""

    file: str = ""

    def schedules(self, subject: Subject, call: Call) -> _plan.Schedules:
        """See Algorithm."""
        read, places = _plan.TreeFile(self.file.encode()), (subject.hosts, subject.clusters)
        rule = read.rule(call.op, subject.members, call.size)
        if rule is None:
            raise InputError(f"the run's tree file has no rule for {call.op} with {call.size} bytes, which it ran")
        return read.schedules(rule, call.op, *places, call.lengths, None if call.root == NO_ROOT else call.root)


def baseline_of(source: Source) -> Algorithm:
    """The algorithm that the engine ran for the subject. Raises InputError if the MPI library ran it, or if the trace
    has no tree file with a rule for it."""
    run, subject = source.tables["run"].to_pylist()[0], source.subject
    if subject.native:
        raise InputError(f"the MPI library ran {subject.op}, so no tree of the engine can be replayed")
    text, call = run["tree_file"], longest(subject)
    if not text:
        raise InputError(
            f"{run['run']} has no tree file, so what the engine ran for {subject.op} is unknown: copy the run's "
            "tree.json back into the folder of the archive, and convert it again"
        )
    number = _plan.TreeFile(text.encode()).rule(call.op, subject.members, call.size)
    if number is None:
        raise InputError(
            f"the tree file of {run['run']} has no rule for {subject.op} with {call.size} bytes, so the run "
            "used another file: record it again"
        )
    file = json.loads(text)
    rule = file["rules"][number]
    name = str(rule.get("algorithm") or next(rule[key] for key in TREE_KEYS if key in rule))
    return Filed(f"baseline: {name}", rule, file.get("trees", {}), text)


def has_baseline(source: Source) -> bool:
    """True if the algorithm that the engine ran for the subject is known."""
    try:
        baseline_of(source)
    except InputError:
        return False
    return True
