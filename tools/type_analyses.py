"""Writes the types of the analyses, as methods of a trace, from the headers of the `.sql` files. The build and
tools/check run this script, with only Python's own packages."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill, indent

from hopscope.query import catalog
from hopscope.query.catalog import Analysis, Command, Parameter

OPENING = '''# Made by tools/type_analyses.py from the headers of the files under sql/analyses/.
"""The analyses as methods of a trace, as type checkers and editors see them; at run time `Trace` makes them from the
same headers."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa

from hopscope.trace import Trace

class Analyses:
    """The analyses of `hopscope.Trace`."""

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
"""The options of `hopscope.selection`, with their types."""


def stub() -> str:
    """The types of the analyses as methods."""
    return OPENING + "\n".join(_method(command) for command in catalog.load().commands.values())


def _method(command: Command) -> str:
    options = {option: _literal(values) for option, values in command.choices.items()}
    options |= {p.name: _type(p) for p in command.parameters}
    if not all(analysis.whole_run for analysis in command.grains):
        options = {**PART, **options}
    base = command.default.base
    arguments = [f"{name}: {kind}{'' if name == base else ' | None = None'}" for name, kind in options.items()]
    parameters = ", ".join(["self", *(["*"] if arguments else []), *arguments])
    columns = [
        f"{_grain_text(analysis)}{', '.join(column.name for column in analysis.columns)}" for analysis in command.grains
    ]
    words = [f'"""{command.default.help}', "", "Columns:", "", *columns, '"""']
    text = "\n".join(fill(line, 112, break_on_hyphens=False) for line in words)
    return f"    def {command.function}({parameters}) -> pa.Table:\n{indent(text, ' ' * 8)}\n"


def _grain_text(analysis: Analysis) -> str:
    grain = analysis.grain
    return "" if grain is None else f"{grain.option}={grain.value or '...'}: "


def _literal(words: Sequence[str]) -> str:
    return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


def _type(parameter: Parameter) -> str:
    return _literal(parameter.choices) if parameter.choices else TYPES[parameter.type]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stub())
