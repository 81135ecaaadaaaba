"""The algorithms that are no trees, where the operation allows them: rings, recursive doubling, leaders and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from hopscope import _plan
from hopscope.errors import InputError
from hopscope.model.trees import Shape
from hopscope.remap.candidates.candidate import LEVEL, TREE, Candidate, longest, segmented, served
from hopscope.remap.candidates.laid import fingerprint
from hopscope.remap.run.program import Subject

HIERARCHICAL: dict[str, Any] = {"shape": "hierarchical"}
"""What leaders have below them where the rule does not say."""
PIPELINE = "pipeline"
"""A chain whose message is cut; whole, it is the tree `chain`."""


def named(words: str) -> tuple[str, ...]:
    """The algorithms of a list with commas. Raises InputError for one that there is not."""
    known = sorted({row.name for row in _plan.algorithms()} | {TREE})
    asked = tuple(word.strip() for word in words.split(","))
    for word in asked:
        if word not in known:
            raise InputError(f"{word!r} is not an algorithm; there are {', '.join(known)}")
    return asked


def algorithms(subject: Subject) -> Iterator[Candidate]:
    """Every algorithm with whole messages, each once: on few ranks, several do the same."""
    largest = longest(subject)
    seen: set[bytes] = set()
    for name, operations, rule, trees in _rules(subject):
        candidate = Candidate(name, rule, trees, operations)
        try:
            does = fingerprint(candidate.lay(subject, largest))
        except ValueError:  # not on these ranks
            continue
        if does not in seen:
            seen.add(does)
            yield candidate


def cut(subject: Subject, whole: Sequence[Candidate], segment_bytes: int) -> Iterator[Candidate]:
    """Those whose messages can be cut, and the pipeline."""
    pipeline = Candidate(PIPELINE, {"algorithm": PIPELINE}, {}, served(PIPELINE, subject))
    for one in (*whole, pipeline):
        # One name may cut the messages of some operations only.
        cuts = served(one.algorithm, subject, cut=True)
        # A chain that is cut is the pipeline.
        if subject.op in cuts and one.name != "chain":
            yield segmented(replace(one, operations=cuts), segment_bytes)


def longest_cut(subject: Subject) -> int:
    """Bytes of the longest message that some algorithm cuts."""
    cut = {op for row in _plan.algorithms() if row.cuts for op in row.operations}
    return max((call.size for call in subject.calls if call.op in cut), default=0)


def _rules(subject: Subject) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any], dict[str, Any]]]:
    """Names, operations and rules with the trees that they name."""
    for row in _plan.algorithms():
        if row.by_tree or subject.op not in row.operations or row.name == PIPELINE:
            continue
        operations, rule = served(row.name, subject), {"algorithm": row.name}
        if not row.in_groups:
            yield row.name, operations, rule, {}
            continue
        for level, groups in _levels(subject):
            # Two groups do the same by recursive doubling as all to all.
            for between in _plan.BETWEEN[1:] if groups == 2 else _plan.BETWEEN:
                for inside in (HIERARCHICAL, *LEVEL):
                    words = [row.name, between]
                    words += [f"inside={Shape(inside).name}"] if inside is not HIERARCHICAL else []
                    words += [f"level={level}"] if level != _plan.LEVELS[0] else []
                    yield (
                        " ".join(words),
                        operations,
                        {**rule, "level": level, "between": between}
                        | ({"inside": "inside"} if inside is not HIERARCHICAL else {}),
                        {"inside": inside} if inside is not HIERARCHICAL else {},
                    )


def _levels(subject: Subject) -> Iterator[tuple[str, int]]:
    """Those at which there are groups to tell apart, and how many."""
    for level, groups in zip(_plan.LEVELS, (subject.clusters, subject.hosts), strict=True):
        if len(set(groups)) > 1:
            yield level, len(set(groups))
