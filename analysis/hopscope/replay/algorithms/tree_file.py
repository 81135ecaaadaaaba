"""Writes a candidate as a tree file (schemas/tree.schema.json) that the collector runs as it is."""

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
from hopscope.replay.run.program import Source

TREE_KEYS = ("reduce_tree", "broadcast_tree", "inside")
"""Where rules name trees."""
TREE_NAME = 40
"""Longest name of a tree in a tree file."""


def tree_file_of(algorithm: Algorithm, source: Source, ran: str | None) -> dict[str, Any]:
    """A tree file with a rule for the subject's operation, communicator and bytes, in front of the rules of the file
    that ran."""
    before = json.loads(ran) if ran else {}
    trees: dict[str, Any] = dict(before.get("trees", {}))
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
    kept = [other for other in before.get("rules", []) if not _covered(other, whole)]
    used = {other.get(key) for other in (whole, *kept) for key in TREE_KEYS}
    named = {name: spec for name, spec in trees.items() if name in used}
    return {
        "schema_version": 1,
        "name": f"candidate: {algorithm.name}"[:60],
        **({"trees": named} if named else {}),
        "rules": [whole, *kept],
    }


def _selecting(source: Source) -> dict[str, Any]:
    """What selects the communicator in a rule: its size or, where others of its size have other members, its members.
    Processes of a spawned world cannot be listed, so there it is the size."""
    members, comms, ranks = source.subject.members, source.tables["comms"], source.tables["ranks"]
    alike = comms.filter(pc.equal(comms["size"], len(members)))["members"].to_pylist()
    is_first_world = pc.all(pc.equal(ranks.filter(pc.is_in(ranks["rank"], pa.array(members)))["world"], 0)).as_py()
    if is_first_world and any(tuple(listed) != members for listed in alike):
        return {"members": list(members)}
    return {"comm_size": {"min": len(members), "max": len(members)}}


def _covered(rule: dict[str, Any], by: dict[str, Any]) -> bool:
    """A rule behind one that takes everything it could: never reached."""
    listed = rule.get("members")
    if "members" in by:
        is_selected = listed == by["members"]
    else:
        size = {"min": len(listed), "max": len(listed)} if listed else rule.get("comm_size", {})
        is_selected = size == by["comm_size"]
    return (
        is_selected
        and set(rule["operations"]) <= set(by["operations"])
        and rule.get("bytes", {}) == by.get("bytes", {})
    )


def _add(trees: dict[str, Any], name: str, spec: dict[str, Any]) -> str:
    """Give a tree a name of its own in the file."""
    short = re.sub(r"[^A-Za-z0-9_.:+-]+", "-", re.split(r"[, ]", name, maxsplit=1)[0])[: TREE_NAME - 3].strip("-")
    taken, number = short, 2
    while taken in trees and trees[taken] != spec:
        taken, number = f"{short}-{number}", number + 1
    trees[taken] = spec
    return taken


def checked(text: str) -> str:
    """The file's text, checked against its schema. Raises jsonschema.ValidationError: a mistake in the program."""
    schema = (schema_directory() / "tree.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(json.loads(text), json.loads(schema))
    return text
