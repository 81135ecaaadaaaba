"""An algorithm, given as a rule of a tree file: its schedules, messages and trees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hopscope.native import _plan
from hopscope.native.sequences import lay
from hopscope.native.trees import Shape
from hopscope.replay.algorithms.schedule import Messages, drawn_as_trees, messages_of, structure_of
from hopscope.replay.candidate import Structure
from hopscope.replay.run.calls import NO_ROOT, Call
from hopscope.replay.run.subject import Subject

TREE = "tree"
"""The algorithm's name in a rule that names trees instead of an algorithm."""
SEGMENTS = (1 << 14, 1 << 16, 1 << 18)
"""Lengths, in bytes, of segments for candidates that cut their messages."""


@dataclass(frozen=True)
class Algorithm:
    """A rule of a tree file without operations and ranges, with the trees that it names."""

    name: str
    rule: dict[str, Any]
    trees: dict[str, dict[str, Any]]

    @property
    def segment_bytes(self) -> int:
        """The length of a segment; 0 if messages are sent whole."""
        return int(self.rule.get("segment_bytes", 0))

    @property
    def algorithm(self) -> str:
        """The algorithm's name in tree files; `tree` for trees."""
        return str(self.rule.get("algorithm", TREE))

    def schedules(self, subject: Subject, call: Call) -> _plan.Schedules:
        """The schedule of every rank in a call of this kind. Raises ValueError if the rule cannot run such a call."""
        root = None if call.root == NO_ROOT else call.root
        return lay(self.rule, call.op, call.lengths, subject.hosts, subject.clusters, root=root, trees=self.trees)

    def drawing(self, subject: Subject) -> dict[str, list[int | None]] | None:
        """The trees `up` and `down`: the parent of each rank of the communicator, None at the root. Returns None if the
        messages do not follow trees."""
        return drawn_as_trees(self.schedules(subject, longest(subject)))

    def messages(self, subject: Subject) -> list[Messages]:
        """The messages of each kind of call."""
        return [messages_of(self.schedules(subject, call)) for call in subject.calls]

    def structure(self, subject: Subject) -> Structure:
        """The structure of the algorithm in its longest call."""
        return structure_of(self.schedules(subject, longest(subject)), subject.clusters)


def longest(subject: Subject) -> Call:
    """The longest call of the selection's operation."""
    return max(call for call in subject.calls if call.op == subject.op)


def of_shapes(name: str, reduce: Shape, broadcast: Shape) -> Algorithm:
    """The algorithm over two trees, each of its own shape: `reduce` leads towards the root, `broadcast` from it."""
    trees = {"reduce": reduce.spec, "broadcast": broadcast.spec}
    return Algorithm(name, {"reduce_tree": "reduce", "broadcast_tree": "broadcast"}, trees)


def segmented(algorithm: Algorithm, segment_bytes: int) -> Algorithm:
    """The algorithm with messages cut into segments."""
    rule = {**algorithm.rule, "segment_bytes": segment_bytes}
    return replace(algorithm, name=f"{algorithm.name}, segments of {segment_bytes} bytes", rule=rule)
