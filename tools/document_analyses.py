"""Writes docs/analyses.md from the headers of the `.sql` files; with --check, fails if it is out of date."""

import sys
from pathlib import Path

from hopscope import catalog
from hopscope.catalog import Analysis, Command
from hopscope.cli.gate import GATE
from hopscope.cli.remap import REMAP

PAGE = Path(__file__).parents[1] / "docs" / "analyses.md"
OPENING = """# The analyses

Made by `tools/document_analyses.py` from the headers of the files under `analysis/hopscope/sql/analyses/` and from the
descriptions of `remap` and `gate`.

Every analysis is a command (`analyze critical-path TRACE`) and a method (`hopscope.open("trace").critical_path()`).
`analyze sql TRACE "SELECT ..."` asks anything else of the tables in `schemas/tables/`.
"""


def _grain(analysis: Analysis) -> str:
    grain = analysis.grain
    if grain is None:
        return ""
    chosen = f"`--{grain.option} {grain.value}`" if grain.value is not None else f"`--{grain.option}` given"
    return f"### {chosen}{' (when nothing is said)' if grain.default else ''}\n\n"


def _section(analysis: Analysis) -> str:
    lines = [f"{_grain(analysis)}{analysis.help}\n", f"```text\n{analysis.concept}\n```\n"]
    if analysis.parameters:
        lines += ["| option | type | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [
            f"| `--{p.name}` | {p.type.replace('|', ' or ')} | {p.default} | {p.meaning} |" for p in analysis.parameters
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
    commands = sorted([*catalog.load().commands.values(), REMAP, GATE], key=lambda command: command.name)
    return OPENING + "\n" + "\n".join(_command(command) for command in commands)


def main() -> int:
    """Write the page, or compare it."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_analyses.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
