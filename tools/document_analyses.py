"""Writes what follows from the headers of the `.sql` files: the page docs/analyses.md, and the types of the analyses as
methods of `hopscope.Trace`, for editors and type checkers; with --check, fails if one is out of date."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill, indent

from hopscope import Trace, catalog
from hopscope.catalog import Analysis, Command, Parameter
from hopscope.cli.analyze import COMPUTED, computed
from hopscope.cli.decide import DECIDE
from hopscope.cli.gate import GATE
from hopscope.cli.history import HISTORY
from hopscope.part import OPTIONS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "analyses.md"
STUB = ROOT / "analysis" / "hopscope" / "_analyses.pyi"
STUB_OPENING = '''# Made by tools/document_analyses.py from the headers of the files under sql/analyses/.
"""The analyses as methods of a trace, as type checkers and editors see them; at run time `Trace` makes them from the
same headers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa

from hopscope.trace import Trace

class Analyses:
    """What `hopscope.Trace` answers."""

'''
TYPES = {
    "INTEGER": "int",
    "BIGINT": "int",
    "DOUBLE": "float",
    "VARCHAR": "str",
    "BOOLEAN": "bool",
    "COLLECTIVE": "str",
    "TRACE": "Trace | str | Path",
    "TRACES": "Sequence[Trace | str | Path]",
}
PART = {
    "from_": "str | int",
    "to": "str | int",
    "ranks": "str | Sequence[int]",
    "comm": "str | int",
    **dict.fromkeys(("operation", "region", "iteration_at", "place"), "str"),
}
"""The options of `hopscope.part`."""
OPENING = """# The analyses

Made by `tools/document_analyses.py` from the headers of the files under `analysis/hopscope/sql/analyses/` and from the
descriptions of `decide`, `formulas`, `gate`, `history`, `model`, `remap` and `reorder`.

Every analysis is a command (`analyze critical-path TRACE`) and a method (`hopscope.open("trace").critical_path()`).
`analyze sql TRACE "SELECT ..."` answers any other question about the tables in `schemas/tables/`.

## A part of the run

Every analysis takes these options, and so do gates, but those that are about the whole run:
{whole_run}. In Python they are
arguments of the methods (`trace.critical_path(from_="i:10", to="i:20")`) or of `trace.part(...)`, which gives a trace
that answers about the part. The run's one critical path is clipped, and no other path is walked; a collective lies
where its last member entered, a message where it was received. `share` is part of what was asked for, `share_of_run` of
the whole run. Unless you ask for times, start-up (up to the first collective or message after MPI_Init of all ranks)
and shutdown (after the last) are left out of the critical path, which a note beside the answer says.

| option | meaning |
| --- | --- |
"""


def _grain(analysis: Analysis) -> str:
    grain = analysis.grain
    if grain is None:
        return ""
    chosen = f"`--{grain.option} {grain.value}`" if grain.value is not None else f"`--{grain.option}` given"
    return f"### {chosen}{' (default)' if grain.default else ''}\n\n"


def _section(analysis: Analysis) -> str:
    lines = [f"{_grain(analysis)}{analysis.help}\n", f"```text\n{analysis.concept}\n```\n"]
    if analysis.parameters:
        lines += ["| option | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [
            f"| `--{p.name.replace('_', '-')}` | {p.type.replace('|', ' or ')} | {p.default} | {p.meaning} |"
            for p in analysis.parameters
        ]
        lines.append("")
    lines += ["| column | type | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{c.name}` | {c.type} | {c.meaning} |" for c in analysis.columns]
    lines += ["", *(f"    {example}" for example in analysis.examples), ""]
    return "\n".join(lines)


def _command(command: Command) -> str:
    return f"## {command.name}\n\n" + "\n".join(_section(analysis) for analysis in command.grains)


def page() -> str:
    """The whole page."""
    others = [computed(name).ANALYSIS for name in COMPUTED]
    commands = sorted(
        [*catalog.load().commands.values(), *others, DECIDE, GATE, HISTORY], key=lambda command: command.name
    )
    part = "".join(f"| `--{name}` | {meaning} |\n" for name, meaning in OPTIONS.items())
    whole_run = ", ".join(
        f"`{c.name}`" for c in commands if c not in (DECIDE, GATE, HISTORY) and all(g.whole_run for g in c.grains)
    )
    return OPENING.format(whole_run=whole_run) + part + "\n" + "\n".join(_command(command) for command in commands)


def stub() -> str:
    """The types of the analyses. What `Trace` defines itself (`caveats`, which it gives as sentences) is left to it."""
    commands = [c for c in catalog.load().commands.values() if c.function not in vars(Trace)]
    return STUB_OPENING + "\n".join(_method(command) for command in commands)


def _method(command: Command) -> str:
    options = {option: _one_of(values) for option, values in command.choices.items()}
    options |= {p.name: _type(p) for p in command.parameters}
    if not all(analysis.whole_run for analysis in command.grains):
        options = {**PART, **options}
    base = command.default.base
    arguments = [_argument(name, kind, optional=name != base) for name, kind in options.items()]
    given = "\n" + "        self,\n        *,\n" + "".join(arguments) + "    " if arguments else "self"
    columns = [
        f"{_chosen(analysis)}{', '.join(column.name for column in analysis.columns)}" for analysis in command.grains
    ]
    words = [f'"""{command.default.help}', "", "Columns:", "", *columns, '"""']
    text = "\n".join(fill(line, 112, break_on_hyphens=False) for line in words)
    return f"    def {command.function}({given}) -> pa.Table:\n{indent(text, ' ' * 8)}\n"


def _argument(name: str, kind: str, *, optional: bool) -> str:
    """One argument, as the formatter would write it."""
    default = " | None = None" if optional else ""
    line = f"{name}: {kind}{default},"
    if len(line) > 112:
        words = kind.removeprefix("Literal[").removesuffix("]").split(", ")
        line = f"{name}: Literal[\n" + "".join(f"    {word},\n" for word in words) + f"]\n{default.strip()},"
    return indent(line, " " * 8) + "\n"


def _chosen(analysis: Analysis) -> str:
    grain = analysis.grain
    return "" if grain is None else f"{grain.option}={grain.value or '...'}: "


def _one_of(words: Sequence[str]) -> str:
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


def _type(parameter: Parameter) -> str:
    return _one_of(parameter.choices) if parameter.choices else TYPES[parameter.type]


def main() -> int:
    """Write both files, or compare them."""
    made = {PAGE: page(), STUB: stub()}
    if "--check" not in sys.argv[1:]:
        for file, text in made.items():
            file.write_text(text)
        return 0
    outdated = [file.name for file, text in made.items() if not file.exists() or file.read_text() != text]
    for name in outdated:
        print(f"{name} is out of date: run .venv/bin/python tools/document_analyses.py", file=sys.stderr)
    return 1 if outdated else 0


if __name__ == "__main__":
    sys.exit(main())
