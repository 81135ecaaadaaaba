"""Writes a candidate as a tree file (schemas/tree.schema.json) that the collector runs as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import jsonschema
import pyarrow as pa
import pyarrow.compute as pc

from hopscope import _plan
from hopscope.model.trees import Shape
from hopscope.remap.candidates.candidate import TREE, Candidate
from hopscope.remap.run.operations import has_bytes
from hopscope.remap.run.program import Source, Subject
from hopscope.store import schema_directory

TREE_KEYS = ("reduce_tree", "broadcast_tree", "inside")
"""Where rules name trees."""
RUNS = 3
"""So many candidates are worth a run where none can be predicted."""
TREE_NAME = 40
"""Longest name of a tree in a tree file."""


def tree_file_of(candidate: Candidate, source: Source, today: str | None) -> dict[str, Any]:
    """A tree file with rules for the operations, communicator and bytes that were judged, in front of the rules of the
    file that ran."""
    subject = source.subject
    before = json.loads(today) if today else {}
    trees: dict[str, Any] = dict(before.get("trees", {}))
    rule = dict(candidate.rule)
    for key in TREE_KEYS:
        if key in rule:
            spec = candidate.trees[rule[key]]
            rule[key] = _add(trees, Shape(spec).name if "algorithm" in rule else candidate.name, spec)
    rules: list[dict[str, Any]] = [
        {
            "operations": operations,
            **_selecting(source),
            **({"bytes": {"min": sizes[0], "max": sizes[1]}} if sizes else {}),
            **rule,
        }
        for sizes, operations in _ranges(candidate, subject).items()
    ]
    kept = [r for r in before.get("rules", []) if not any(_covered(r, rule) for rule in rules)]
    used = {r.get(key) for r in (*rules, *kept) for key in TREE_KEYS}
    named = {name: spec for name, spec in trees.items() if name in used}
    return {
        "schema_version": 1,
        "name": f"suggested: {candidate.name}"[:60],
        **({"trees": named} if named else {}),
        "rules": [*rules, *kept],
    }


def word_of(candidate: Candidate) -> str | None:
    """What `hopscope run --tree` knows it by; None where only a tree file has it."""
    rule, trees = candidate.rule, candidate.trees
    if candidate.segment_bytes:
        return None
    if candidate.algorithm != TREE:
        is_plain = not trees and rule.get("level", _plan.LEVELS[0]) == _plan.LEVELS[0]
        return ":".join([candidate.algorithm, *([rule["between"]] if "between" in rule else [])]) if is_plain else None
    up, down = (trees[rule[key]] for key in TREE_KEYS[:2])
    if up != down or not up.keys() <= {"shape", "fan_out"}:
        return None
    return ":".join([up["shape"], *([str(up["fan_out"])] if "fan_out" in up else [])])


def words_of(candidates: Iterable[Candidate]) -> list[str]:
    """What `hopscope run --tree` knows the first of these by that are of different kinds."""
    words = [word for candidate in candidates if (word := word_of(candidate))]
    kinds = {word.partition(":")[0]: word for word in reversed(words)}
    first = [word for word in dict.fromkeys(words) if kinds[word.partition(":")[0]] == word]
    return list(dict.fromkeys([*first, *words]))[:RUNS]


def _ranges(candidate: Candidate, subject: Subject) -> dict[tuple[int, int] | None, list[str]]:
    """The operations that the candidate runs by the least and the most bytes of their calls, None for those whose rules
    go by none."""
    result: dict[tuple[int, int] | None, list[str]] = {}
    for op in candidate.operations:
        sizes = [call.size for call in subject.calls if call.op == op]
        result.setdefault((min(sizes), max(sizes)) if has_bytes(op) else None, []).append(op)
    return result


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
