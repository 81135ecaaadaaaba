"""The algorithms of Hopscope's engine: every shape of tree, every hierarchy over the topology, and all algorithms
without a tree; each with whole messages and in segments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Any

from hopscope.errors import InputError
from hopscope.native import _plan
from hopscope.native.trees import Shape
from hopscope.replay.algorithms.algorithm import TREE, Algorithm, longest, of_shapes, segmented
from hopscope.replay.algorithms.schedule import fingerprint
from hopscope.replay.run.subject import Subject

FAN_OUTS = {"kary": range(3, 9)}
"""The fan-outs that are tried, by shape. `binary` is kary:2, so 2 is left out."""
_SHAPES = [shape for shape in _plan.shapes() if shape.is_simple and not shape.same_as]
SIMPLE: tuple[dict[str, Any], ...] = tuple(
    {"shape": shape.name, **number}
    for shape in _SHAPES
    for number in ([{"fan_out": k} for k in FAN_OUTS.get(shape.name, ())] if shape.counts else [{}])
)
LEVEL: tuple[dict[str, Any], ...] = tuple({"shape": shape.name} for shape in _SHAPES if not shape.counts)
"""The shapes that each level of a hierarchy may have."""
LARGEST_LEVEL_BY_LEVEL = 64
"""Up to this many ranks, each level of a hierarchy may have its own shape; beyond, all levels have one shape."""
HIERARCHICAL: dict[str, Any] = {"shape": "hierarchical"}
"""The default tree inside a group of ranks (a host or a cluster)."""
PIPELINE = "pipeline"
"""The algorithm of a chain with segmented messages. With whole messages, it equals the tree `chain`."""


def algorithm_names(words: str) -> tuple[str, ...]:
    """The algorithms in a comma-separated list. Raises InputError for an unknown one, and for an empty list."""
    names = sorted({row.name for row in _plan.algorithms()} | {TREE})
    choice = tuple(word.strip() for word in words.split(",") if word.strip())
    unknown = [word for word in choice if word not in names]
    if unknown or not choice:
        problem = f"{unknown[0]!r} is not an algorithm" if unknown else "no algorithm is named"
        raise InputError(f"{problem}; name one or more of {', '.join(names)}, with commas between them")
    return choice


def algorithms(subject: Subject) -> Iterator[Algorithm]:
    """Every algorithm with whole messages. Of algorithms with the same schedule (frequent on few ranks), only the
    first."""
    fingerprints: set[bytes] = set()
    for algorithm in chain(_trees(subject), _other_algorithms(subject)):
        try:
            key = fingerprint(algorithm.schedules(subject, longest(subject)))
        except ValueError:  # the algorithm does not run on these ranks
            continue
        if key not in fingerprints:
            fingerprints.add(key)
            yield algorithm


def cut(subject: Subject, whole: Sequence[Algorithm], segment_bytes: int) -> Iterator[Algorithm]:
    """Algorithms with messages cut into segments of segment_bytes: each algorithm of `whole` that can cut messages, and
    the pipeline."""
    cuts = {row.name for row in _plan.algorithms() if row.cuts and subject.op in row.operations}
    for algorithm in (*whole, Algorithm(PIPELINE, {"algorithm": PIPELINE}, {})):
        # The tree `chain` with segments would equal the pipeline.
        if algorithm.algorithm in cuts and algorithm.name != "chain":
            yield segmented(algorithm, segment_bytes)


def _trees(subject: Subject) -> Iterator[Algorithm]:
    if not any(row.name == TREE and subject.op in row.operations for row in _plan.algorithms()):
        return
    levels = product(LEVEL, LEVEL, LEVEL)
    if len(subject.hosts) > LARGEST_LEVEL_BY_LEVEL:
        levels = ((level, level, level) for level in LEVEL)
    if len(set(subject.hosts)) == 1:
        levels = ()
    hierarchies = ({**HIERARCHICAL, "clusters": a, "hosts": b, "ranks": c} for a, b, c in levels)
    for shape in map(Shape, (*SIMPLE, *hierarchies)):
        yield of_shapes(shape.name, shape, shape)


def _other_algorithms(subject: Subject) -> Iterator[Algorithm]:
    for row in _plan.algorithms():
        if row.by_tree or subject.op not in row.operations or row.name == PIPELINE:
            continue
        rule = {"algorithm": row.name}
        if not row.in_groups:
            yield Algorithm(row.name, rule, {})
            continue
        for level, groups in _levels(subject):
            # Between two groups, `all-to-all` and recursive doubling send the same messages.
            for exchange, level_tree in product(
                _plan.BETWEEN[1:] if groups == 2 else _plan.BETWEEN, (HIERARCHICAL, *LEVEL)
            ):
                words = [row.name, exchange]
                words += [f"inside={Shape(level_tree).name}"] if level_tree is not HIERARCHICAL else []
                words += [f"level={level}"] if level != _plan.LEVELS[0] else []
                trees = {"inside": level_tree} if level_tree is not HIERARCHICAL else {}
                named_tree = {"inside": "inside"} if trees else {}
                yield Algorithm(" ".join(words), {**rule, "level": level, "between": exchange} | named_tree, trees)


def _levels(subject: Subject) -> Iterator[tuple[str, int]]:
    """The levels at which the ranks form several groups, with the number of groups."""
    for level, groups in zip(_plan.LEVELS, (subject.clusters, subject.hosts), strict=True):
        if len(set(groups)) > 1:
            yield level, len(set(groups))
