"""Algorithms of Hopscope's engine as methods of a sweep, and the tree file that makes the engine run the best ones.

A job with these methods runs the probe under the collector, without recording.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hopscope.advice.sweep.grid import Point, mpi_function
from hopscope.advice.sweep.layout import Layout
from hopscope.advice.sweep.methods import SEGMENTS, Method
from hopscope.launch.command import Request, environment, launcher_words
from hopscope.native import _plan

_TREE: Final = "tree.json"
_TOPOLOGY: Final = "topology.json"
_NAMED_TREE: Final = "tree"
_SHAPES: Final = ("flat", "chain", "binary", "binomial", "hierarchical")
_PIPELINED: Final = ("pipeline", "split-binary")
"""Algorithms that are useful only with segments."""
_UNRECORDED: Final = {"HOPSCOPE_PAUSED": "1", "HOPSCOPE_ASSEMBLE": "0", "HOPSCOPE_NATIVE": "0"}


def engine_methods(operation: str, layout: Layout) -> Iterator[Method]:
    """The engine's trees and algorithms for an operation, each with one setting or, if pipelined, for each length of
    SEGMENTS."""
    level = "cluster" if len(set(layout.clusters)) > 1 else "host"
    has_groups = len(set(layout.hosts)) > 1
    for row in _plan.algorithms():
        if mpi_function(operation) not in row.operations:
            continue
        if row.by_tree:
            for shape in _SHAPES:
                if shape != "hierarchical" or has_groups:
                    rule = {"reduce_tree": _NAMED_TREE, "broadcast_tree": _NAMED_TREE}
                    yield Method(f"engine {shape}", rule=rule, trees={_NAMED_TREE: {"shape": shape}})
        elif row.name in _PIPELINED:
            for segment in SEGMENTS:
                rule = {"algorithm": row.name, "segment_bytes": segment}
                yield Method(f"engine {row.name}/{segment}", segment_bytes=segment, rule=rule)
        elif not row.in_groups:
            yield Method(f"engine {row.name}", rule={"algorithm": row.name})
        elif has_groups:
            rule = {"algorithm": row.name, "level": level, "between": "recursive-doubling"}
            yield Method(f"engine {row.name}", rule=rule)


def with_engine(
    words: Sequence[str], column: Mapping[str, Method], collector: str, machine: Mapping[str, Any] | None, folder: Path
) -> tuple[list[str], dict[str, str]]:
    """The command line and the variables that make the engine run a column's methods. folder: a directory to which the
    files that they need are written."""
    tree = folder / _TREE
    rules = [_rule(method, mpi_function(operation)) for operation, method in column.items()]
    tree.write_text(json.dumps(_tree_file(rules)))
    topology = None
    if machine is not None:
        topology = folder / _TOPOLOGY
        hosts = [{"name": host["name"], "cluster": host["cluster"]} for host in machine["hosts"]]
        topology.write_text(json.dumps({"schema_version": 1, "hosts": hosts}))
    request = Request(collector, directory=folder / "recording", tree=str(tree), topology=topology)
    variables = {**environment(request, os.environ), **_UNRECORDED}
    return launcher_words(words, collector, variables), variables


def tree_file(ranges: Sequence[tuple[Method, Point, int, int, int | None]]) -> dict[str, Any]:
    """The tree file with which the engine runs these methods. ranges: each method with its point, the largest number of
    ranks, and the first and the last bytes for which the method is used."""
    rules: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for method, point, most_ranks, begin, end in ranges:
        rule, trees = _rule(method, point.function)
        sizes = {} if point.operation == "barrier" else {"bytes": _range(begin, end)}
        rules.append(({**rule, "comm_size": _range(point.ranks, most_ranks), **sizes}, trees))
    return _tree_file(rules)


def _range(begin: int, end: int | None) -> dict[str, int]:
    return {"min": begin} if end is None else {"min": begin, "max": end}


def _rule(method: Method, function: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A method's rule and trees. Trees are renamed to the names of their shapes, so that methods in one file do not
    share a name for different trees."""
    rule, trees = method.rule or {}, method.trees or {}
    names = {name: str(spec["shape"]) for name, spec in trees.items()}
    renamed = {key: names.get(entry, entry) if isinstance(entry, str) else entry for key, entry in rule.items()}
    return {"operations": [function], **renamed}, {names[name]: spec for name, spec in trees.items()}


def _tree_file(rules: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    trees = {name: spec for _, named_trees in rules for name, spec in named_trees.items()}
    return {
        "schema_version": 1,
        "name": "sweep",
        **({"trees": trees} if trees else {}),
        "rules": [rule for rule, _ in rules],
    }
