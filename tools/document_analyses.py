"""Writes docs/analyses.md from the headers of the `.sql` files; with --check, fails if the page is out of date."""

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from textwrap import fill, indent

from hopscope.query import catalog
from hopscope.query.catalog import Analysis, Command, Parameter, typed
from hopscope.query.header import Column, unit_of
from hopscope.selection import OPTIONS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "analyses.md"
UNIT_WORDS = {"share": "share", "ns": "ns", "at": "at", "bytes": "bytes"}
OPENING = """# The analyses

Made by `tools/document_analyses.py` from the headers under `analysis/hopscope/sql/`: `analyses/`, and `computed/` for
`decide`, `formulas`, `gate`, `history`, `model`, `remap` and `reorder`. Every analysis is a command
(`analyze critical-path TRACE`) and a method (`hopscope.open("trace").critical_path()`); `--help` has examples.
`analyze sql TRACE "SELECT ..."` answers any other question about the tables in `schemas/tables/`.

## A part of the run

Every analysis and gate takes these options, except those about the whole run:
{whole_run}.
In Python they are arguments (`trace.critical_path(from_="i:10", to="i:20")`) or those of `trace.part(...)`. The run's
critical path is cut at the limits. A collective belongs to the time when its last member entered, a message to the time
when it was received.

{part}

## Shared columns and options

Columns that end in `_ns` are in ns; `(at)` marks times since the start of the trace. Shares lie between 0 and 1; tables
show per cent. `X_low` and `X_high` are the ends of the 95 % interval of `X`, by a block bootstrap; below 13 collectives
they are null unless stated otherwise. `+` lists columns that are explained above; `...` stands for the ones after them.

{columns}

{options}

"""
SHARED = 2
"""Commands that must have an option or a column for it to be described once at the top."""
_END = re.compile(r"(?:Lower|Upper) end of its interval(?: of 95 %)?(?:; (?P<without>null .+))?\.")
"""Matches the description of an interval's end, and the condition under which there is none."""
_HELP = re.compile(r"\s+(See `analyze[^`]*\s--help`|`analyze[^`]*\s--help` explains[^.]*)\.")
USUALLY_WITHOUT = (None, "null below 13 collectives")


@dataclass(frozen=True)
class _Item:
    """An option or a column with its meaning."""

    name: str
    meaning: str

    @property
    def lines(self) -> str:
        """Name and meaning in two columns."""
        name = f"{self.name:<23}" if len(self.name) < 24 else f"{self.name}\n"
        indentation = " " * 24
        first = indentation if name.endswith("\n") else f"{name} "
        text = fill(self.meaning.replace("`", ""), 116, initial_indent=first, subsequent_indent=indentation)
        return f"{name}{text}" if name.endswith("\n") else text


def _options(analysis: Analysis) -> list[_Item]:
    return [_option(parameter) for parameter in analysis.parameters]


def _option(parameter: Parameter) -> _Item:
    words = f" {parameter.type.replace('|', ', ')}" if parameter.choices else ""
    default = "" if parameter.default in (None, False) else f" Default {parameter.default}."
    return _Item(f"{typed(parameter.name)}{words}", parameter.meaning + default)


def _columns(analysis: Analysis) -> list[_Item]:
    """One item per column. After its name come the ends of its interval, and the next columns with the same meaning."""
    names = [column.name for column in analysis.columns]
    ends: dict[str, list[Column]] = {}
    for column in analysis.columns:
        if _END.fullmatch(column.meaning) and (whole := _whole(column.name, names)):
            ends.setdefault(whole, []).append(column)
    interval_ends = {column.name for columns in ends.values() for column in columns}
    items = [
        _column(column, ends.get(column.name, [])) for column in analysis.columns if column.name not in interval_ends
    ]
    alike = (list(group) for _, group in groupby(items, key=lambda item: item.meaning))
    return [_Item(", ".join(item.name for item in group), group[0].meaning) for group in alike]


def _column(column: Column, ends: Sequence[Column]) -> _Item:
    names = ", ".join((column.name, *(end.name for end in ends)))
    has_unit_in_name = column.unit in (None, unit_of(column.name)) or column.unit in column.name.split("_")
    unit = "" if has_unit_in_name or column.unit not in UNIT_WORDS else f" ({UNIT_WORDS[column.unit]})"
    conditions_without = [match["without"] for end in ends if (match := _END.fullmatch(end.meaning))]
    conditions = [condition for condition in conditions_without if condition not in USUALLY_WITHOUT]
    return _Item(names + unit, column.meaning + "".join(f" Interval {condition}." for condition in conditions))


def _whole(end: str, names: Sequence[str]) -> str | None:
    """The column to whose interval the column `end` belongs, as its lower or upper end; None if it is no such end."""
    match = re.fullmatch(r"(.+)_(?:low|high)(_ns)?", end)
    stems = (f"{match[1]}{match[2] or '_share'}", match[1]) if match else ()
    return next((stem for stem in stems if stem in names), None)


def _shared(commands: Sequence[Command], items: Callable[[Analysis], list[_Item]]) -> list[_Item]:
    """The items that several commands share, sorted by name; each with its most frequent meaning."""
    frequencies = Counter(
        item
        for command in commands
        for item in dict.fromkeys(item for analysis in command.grains for item in items(analysis))
    )
    shared = {item.name: item for item, times in reversed(frequencies.most_common()) if times >= SHARED}
    return [shared[name] for name in sorted(shared)]


def _table(items: Sequence[_Item], documented: Sequence[_Item], tables: Sequence[Sequence[_Item]] = ()) -> str:
    """A line for each item. The last line names the items that were documented before. If a table above ends with the
    same items, only the first of them is named."""
    lines = [item.lines for item in items if item not in documented]
    repeats = [item for item in items if item in documented]
    names = [item.name for item in repeats]
    for first in range(len(repeats) - 3):
        if any(list(table[first - len(repeats) :]) == repeats[first:] for table in tables):
            names[first:] = [f"{names[first]} ..."]
            break
    if names:
        lines.append(fill(f"+ {', '.join(names)}", 116, subsequent_indent="  "))
    return block("\n".join(lines))


def block(text: str) -> str:
    """The text as an indented block, which keeps its lines."""
    return indent(text, "    ")


def _grain(analysis: Analysis) -> str:
    grain = analysis.grain
    if grain is None:
        return ""
    option = f"`--{grain.option} {grain.value}`" if grain.value is not None else f"`--{grain.option}` given"
    return f"### {option}{' (default)' if grain.default else ''}\n\n"


def _section(analysis: Analysis, options: Sequence[_Item], tables: Sequence[Sequence[_Item]]) -> str:
    parts = [f"{_grain(analysis)}{analysis.help}", *map(_paragraph, analysis.concept.split("\n\n"))]
    if analysis.parameters:
        parts.append(_table(_options(analysis), options))
    columns = [item for table in tables for item in table]
    parts.append(_table(_columns(analysis), columns, tables))
    if example := _example(analysis):
        parts.append(block(example))
    return "\n\n".join(parts) + "\n"


def _example(analysis: Analysis) -> str | None:
    """The first example with options beside the one that chooses the grain; None if there is none."""
    grain_words = {f"--{analysis.grain.option}", analysis.grain.value} if analysis.grain else set[str | None]()
    return next((e for e in analysis.examples if any("--" in w and w not in grain_words for w in e.split())), None)


def _paragraph(text: str) -> str:
    """A paragraph without sentences about `--help`. Lines with columns become a block."""
    return block(text) if "  " in text else _HELP.sub("", text)


def _command(command: Command, options: Sequence[_Item], columns: Sequence[_Item]) -> str:
    """The section of a command; each grain explains only new items."""
    sections: list[str] = []
    tables = [columns]
    for analysis in command.grains:
        sections.append(_section(analysis, options, tables))
        options = [*options, *_options(analysis)]
        tables = [*tables, _columns(analysis)]
    return f"## {command.name}\n\n" + "\n".join(sections)


def page() -> str:
    """The whole page."""
    all_commands = {**catalog.load().commands, **catalog.load().computed}
    commands = [all_commands[name] for name in sorted(all_commands)]
    whole_run = ", ".join(f"`{c.name}`" for c in commands if all(g.whole_run for g in c.grains))
    options, columns = _shared(commands, _options), _shared(commands, _columns)
    opening = OPENING.format(
        whole_run=whole_run,
        part=_table([_Item(f"--{name}", meaning) for name, meaning in OPTIONS.items()], ()),
        options=_table(options, ()),
        columns=_table(columns, ()),
    )
    return opening + "\n".join(_command(command, options, columns) for command in commands)


def main() -> int:
    """Write the page, or with --check compare it."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_analyses.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
