"""Makes the tree file (schemas/tree.schema.json) with which the engine runs a candidate."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.store import schema_directory
from hopscope.native.trees import Shape
from hopscope.replay.algorithms.algorithm import Algorithm
from hopscope.replay.algorithms.combination import bytes_of
from hopscope.replay.run.subject import Source

TREE_KEYS = ("reduce_tree", "broadcast_tree", "inside")
"""The keys of a rule whose values are names of trees."""
TREE_NAME = 40
"""Longest name of a tree in a tree file."""


def tree_file_of(algorithm: Algorithm, source: Source, baseline_text: str | None) -> dict[str, Any]:
    """A tree file with a rule for the subject's operation, communicator and bytes, followed by the rules of the tree
    file of the recorded run (baseline_text)."""
    file = json.loads(baseline_text) if baseline_text else {}
    trees: dict[str, Any] = dict(file.get("trees", {}))
    rule = dict(algorithm.rule)
    for key in TREE_KEYS:
        if key in rule:
            spec = algorithm.trees[rule[key]]
            rule[key] = _add(trees, Shape(spec).name if "algorithm" in rule else algorithm.name, spec)
    sizes = bytes_of([source.subject])
    whole: dict[str, Any] = {
        "operations": [source.subject.op],
        **_selecting(source),
        **({"bytes": {"min": sizes[0], "max": sizes[1]}} if sizes else {}),
        **rule,
    }
    other_rules = [entry for entry in file.get("rules", []) if not _covered(entry, whole)]
    used = {entry.get(key) for entry in (whole, *other_rules) for key in TREE_KEYS}
    used_trees = {name: spec for name, spec in trees.items() if name in used}
    return {
        "schema_version": 1,
        "name": f"candidate: {algorithm.name}"[:60],
        **({"trees": used_trees} if used_trees else {}),
        "rules": [whole, *other_rules],
    }


def _selecting(source: Source) -> dict[str, Any]:
    """The part of a rule that selects the communicator: by its size or, if another communicator of the same size has
    other members, by its members. A rule cannot list processes of a spawned world, so their communicators are selected
    by size."""
    members, comms, ranks = source.subject.members, source.tables["comms"], source.tables["ranks"]
    alike = comms.filter(pc.equal(comms["size"], len(members)))["members"].to_pylist()
    is_first_world = pc.all(pc.equal(ranks.filter(pc.is_in(ranks["rank"], pa.array(members)))["world"], 0)).as_py()
    if is_first_world and any(tuple(group_members) != members for group_members in alike):
        return {"members": list(members)}
    return {"comm_size": {"min": len(members), "max": len(members)}}


def _covered(rule: dict[str, Any], earlier_rule: dict[str, Any]) -> bool:
    """True if `rule` is never reached because `earlier_rule` applies to all its collectives."""
    members = rule.get("members")
    if "members" in earlier_rule:
        is_selected = members == earlier_rule["members"]
    else:
        size = {"min": len(members), "max": len(members)} if members else rule.get("comm_size", {})
        is_selected = size == earlier_rule["comm_size"]
    return (
        is_selected
        and set(rule["operations"]) <= set(earlier_rule["operations"])
        and rule.get("bytes", {}) == earlier_rule.get("bytes", {})
    )


def _add(trees: dict[str, Any], name: str, spec: dict[str, Any]) -> str:
    """Adds a tree to `trees` under a unique name, which it returns."""
    short = re.sub(r"[^A-Za-z0-9_.:+-]+", "-", re.split(r"[, ]", name, maxsplit=1)[0])[: TREE_NAME - 3].strip("-")
    unique_name, number = short, 2
    while unique_name in trees and trees[unique_name] != spec:
        unique_name, number = f"{short}-{number}", number + 1
    trees[unique_name] = spec
    return unique_name


def checked(text: str) -> str:
    """The file's text, checked against its schema. A jsonschema.ValidationError would be a mistake in Hopscope."""
    schema = (schema_directory() / "tree.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(text), json.loads(schema))
    return text
