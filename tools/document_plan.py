"""Writes the texts that follow from the collector's tables of shapes, algorithms and operations (collector/src/plan):
the page docs/shapes-and-algorithms.md, and the lists in schemas/tree.schema.json; with --check, fails if one is out of
date."""

import json
import sys
from pathlib import Path
from textwrap import fill, indent
from typing import Any

from hopscope.native import _plan

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "shapes-and-algorithms.md"
SCHEMA = ROOT / "schemas" / "tree.schema.json"
LONGEST_LINE = 120

PAGE_TEXT = """# Shapes and algorithms

Made by `tools/document_plan.py` from the collector's own tables.

`--tree NAME` (or `HOPSCOPE_TREE=NAME`) runs every operation that the name serves; the MPI library runs the others. A
[tree file](../schemas/tree.schema.json) has a rule for each operation, communicator and message size.

## Shapes of trees

Shapes serve {by_tree}. Ranks are numbered from the root, cyclically; K is the shape's `fan_out`.

{shapes}

## Algorithms

{algorithms}

`*` marks algorithms whose messages a rule's `segment_bytes` cuts into segments.

Trees, {reordering} combine operands out of rank order, so operations that do not commute go to the MPI library.

## Groups

{grouped} groups ranks by a rule's `level` ({levels}). `inside` names the tree of a group below its leader, by default
`hierarchical`. The root leads its group; the lowest rank leads any other group. `between` names the exchange of the
leaders; `--tree` takes it after a colon, as in `{example}`. With g groups:

{between}

All ranks get the same bits. If an operation does not commute, groups and the subtrees inside them must consist of
consecutive ranks, the root of Reduce must be rank 0, and Allreduce and Reduce_scatter cannot use the ring. In Reduce
and Bcast, leaders exchange along a tree: binomial with `recursive-doubling`, a chain with `ring`.
"""

EXCHANGES = {
    "all-to-all": ("Each leader sends to all others.", "1"),
    "recursive-doubling": ("Leaders at distances 1, 2, 4 and so on exchange what they have.", "2 + log2 g, rounded up"),
    "ring": ("Parts of the vector go round once to be summed and once more to be distributed.", "2 (g - 1)"),
}
"""The exchanges between leaders. Each has a description and, for g groups, the length of the longest chain of messages
between groups in which each message waits for the one before."""


def short(operations: list[str]) -> str:
    """The names of operations without `MPI_`."""
    return ", ".join(name.removeprefix("MPI_") for name in operations)


def by_name() -> dict[str, list[_plan.Algorithm]]:
    """The table rows of each algorithm that rules can name."""
    rows: dict[str, list[_plan.Algorithm]] = {}
    for row in _plan.algorithms():
        if not row.by_tree:
            rows.setdefault(row.name, []).append(row)
    return rows


def served_by_trees() -> list[str]:
    """The operations that rules can run over trees, in the table's order."""
    served = {operation for row in _plan.algorithms() if row.by_tree for operation in row.operations}
    return [operation.name for operation in _plan.operations() if operation.name in served]


def reordering() -> list[str]:
    """The algorithms that combine operands in another order than that of the ranks."""
    reduces = {operation.name for operation in _plan.operations() if operation.reduces}
    return [
        name
        for name, rows in by_name().items()
        if any(reduces & set(row.operations) and not row.keeps_order and not row.in_groups for row in rows)
    ]


def grouped() -> list[str]:
    """The algorithms whose rules group ranks."""
    return [name for name, rows in by_name().items() if rows[0].in_groups]


def two_columns(*rows: tuple[str, str]) -> str:
    """Names and their meanings as a block."""
    width = max(len(name) for name, _ in rows) + 2
    lines = (fill(f"{name:<{width}}{text}", LONGEST_LINE - 4, subsequent_indent=" " * width) for name, text in rows)
    return indent("\n".join(lines), "    ")


def exchange_text(exchange: str, messages: str) -> str:
    """The description of an exchange, with the length of its longest chain of messages."""
    return f"{exchange} Messages in sequence: {messages}."


def page() -> str:
    """The whole page."""
    shapes = [(f"{row.name}{':K' if row.counts else ''}", row.meaning.replace("`", "")) for row in _plan.shapes()]
    algorithms = [
        (f"{row.name}{'*' if row.cuts else ''}", f"{short(row.operations)}: {row.meaning.replace('`', '')}")
        for rows in by_name().values()
        for row in rows
    ]
    return PAGE_TEXT.format(
        by_tree=short(served_by_trees()),
        shapes=two_columns(*shapes),
        algorithms=two_columns(*algorithms),
        reordering=" and ".join(f"`{name}`" for name in reordering()),
        grouped=" and ".join(f"`{name}`" for name in grouped()),
        levels=" or ".join(f"`{level}`" for level in _plan.LEVELS),
        example=f"{grouped()[0]}:{_plan.BETWEEN[-1]}",
        between=two_columns(*((name, exchange_text(*EXCHANGES[name])) for name in _plan.BETWEEN)),
    )


def only(operations: list[str]) -> dict[str, Any]:
    """The JSON Schema condition that a rule names only these operations."""
    return {"properties": {"operations": {"items": {"enum": operations}}}}


def with_lists(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with all lists that come from the tables."""
    defined, rows = schema["$defs"], _plan.shapes()
    numbered = [row for row in rows if row.counts]
    defined["simple_shape"]["enum"] = [row.name for row in rows if row.is_simple]
    level = defined["level"]
    level["if"]["properties"]["shape"]["enum"] = [row.name for row in numbered]
    level["properties"]["fan_out"]["description"] = "; ".join(f"for {row.name}, {row.counts}" for row in numbered)
    defined["tree_operation"]["enum"] = served_by_trees()
    defined["operation"]["enum"] = [operation.name for operation in _plan.operations()]
    by_tree = defined["serves"]["allOf"][-1]
    defined["serves"]["description"] = (
        "The operations that each algorithm supports. Of the algorithms that combine operands, "
        f"{' and '.join(reordering())} need an operation that commutes; the others combine operands in rank order."
    )
    defined["serves"]["allOf"] = [
        {
            "if": {"required": ["algorithm"], "properties": {"algorithm": {"const": name}}},
            "then": only([operation for row in rows for operation in row.operations]),
        }
        for name, rows in by_name().items()
    ]
    defined["serves"]["allOf"].append(by_tree)
    defined["serves"]["description"] += (
        f" {' and '.join(grouped()).capitalize()} does so only if each group, and each subtree in it, consists of "
        "consecutive ranks."
    )
    defined["in_groups"]["properties"]["algorithm"]["enum"] = grouped()
    rule = defined["rule"]
    rule["properties"]["level"]["enum"] = list(_plan.LEVELS)
    rule["properties"]["between"]["enum"] = list(_plan.BETWEEN)
    rule["properties"]["algorithm"]["enum"] = list(by_name())
    hidden = [operation.name for operation in _plan.operations() if operation.hides_bytes]
    rule["dependentSchemas"]["bytes"]["properties"]["operations"]["items"]["not"]["enum"] = hidden
    return schema


def flat(value: Any) -> str:
    """JSON on one line, with spaces inside braces."""
    if isinstance(value, dict) and value:
        return f"{{ {', '.join(f'{json.dumps(key)}: {flat(entry)}' for key, entry in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(flat, value))}]"
    return json.dumps(value, ensure_ascii=False)


def pretty(value: Any, indent: str = "") -> str:
    """JSON on one line if that is short enough, else with one entry per line."""
    line = flat(value)
    if len(indent + line) <= LONGEST_LINE or not isinstance(value, dict | list):
        return line
    indentation = f"{indent}  "
    if isinstance(value, dict):
        entries = [f"{json.dumps(key)}: {pretty(entry, indentation)}" for key, entry in value.items()]
    else:
        entries = [pretty(entry, indentation) for entry in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{indentation}" + f",\n{indentation}".join(entries) + f"\n{indent}{closing}"


def main() -> int:
    """Write both files, or with --check compare them."""
    texts = {PAGE: page(), SCHEMA: pretty(with_lists(json.loads(SCHEMA.read_text()))) + "\n"}
    stale = [path.name for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if "--check" not in sys.argv[1:]:
        for path, text in texts.items():
            path.write_text(text)
    elif stale:
        print(f"{', '.join(stale)}: out of date: run .venv/bin/python tools/document_plan.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
