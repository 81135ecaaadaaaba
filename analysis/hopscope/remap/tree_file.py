"""Writes a candidate as a tree file (schemas/tree.schema.json) that the collector runs as it is."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema

from hopscope.remap.candidates import Candidate
from hopscope.remap.program import Subject
from hopscope.store import schema_directory

TREE_NAME = 40
"""Longest name of a tree in a tree file."""


def tree_file_of(candidate: Candidate, subject: Subject, today: str | None) -> dict[str, Any]:
    """A tree file with a rule for the subject's operations and size, in front of the rules of the file that ran."""
    before = json.loads(today) if today else {}
    trees: dict[str, Any] = dict(before.get("trees", {}))
    names = [_add(trees, candidate.name, candidate.reduce.spec)]
    names.append(
        names[0] if candidate.broadcast == candidate.reduce else _add(trees, candidate.name, candidate.broadcast.spec)
    )
    rule: dict[str, Any] = {
        "operations": list(subject.operations),
        "comm_size": {"min": len(subject.members), "max": len(subject.members)},
        "reduce_tree": names[0],
        "broadcast_tree": names[1],
    }
    if candidate.segment_bytes:
        rule["segment_bytes"] = candidate.segment_bytes
    kept = [r for r in before.get("rules", []) if not _covered(r, rule)]
    used = {r.get(key) for r in (rule, *kept) for key in ("reduce_tree", "broadcast_tree")}
    return {
        "schema_version": 1,
        "name": f"suggested: {candidate.name}"[:60],
        "trees": {name: spec for name, spec in trees.items() if name in used},
        "rules": [rule, *kept],
    }


def _covered(rule: dict[str, Any], by: dict[str, Any]) -> bool:
    """A rule behind one that takes everything it could: never reached."""
    size = rule.get("comm_size", {})
    return size == by["comm_size"] and set(rule["operations"]) <= set(by["operations"])


def _add(trees: dict[str, Any], name: str, spec: dict[str, Any]) -> str:
    """Gives a tree a name of its own in the file."""
    short = re.sub(r"[^A-Za-z0-9_.:+-]+", "-", re.split(r"[, ]", name, maxsplit=1)[0])[: TREE_NAME - 3].strip("-")
    taken, number = short, 2
    while taken in trees and trees[taken] != spec:
        taken, number = f"{short}-{number}", number + 1
    trees[taken] = spec
    return taken


def text_of(tree_file: dict[str, Any]) -> str:
    """The file's text, held against its schema first. Raises jsonschema.ValidationError: a mistake in the program."""
    schema = (schema_directory() / "tree.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(tree_file, json.loads(schema))
    return json.dumps(tree_file, indent=2) + "\n"
