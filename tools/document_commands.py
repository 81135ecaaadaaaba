"""Writes docs/commands.md from the commands' own help, all but those of docs/analyses.md; with --check, fails if it is
out of date."""

import os
import sys
from pathlib import Path

import click
from hopscope import catalog
from hopscope.cli.analyze import COMPUTED
from hopscope.cli.main import hopscope

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
OPENING = """# The commands

Made by `tools/document_commands.py` from what `--help` says. The analyses (`analyze critical-path` and so on) have a
page of their own, [analyses.md](analyses.md). `analyze` is short for `hopscope analyze`.
"""
_WIDTH = 100


def commands(command: click.Command, before: str) -> dict[str, click.Command]:
    """Every command below one and itself, by the words that one types."""
    found = {before: command}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            found |= commands(below, f"{before} {name}")
    return found


def page() -> str:
    """The whole page."""
    described_elsewhere = {f"hopscope analyze {name}" for name in [*catalog.load().commands, *COMPUTED]}
    sections: list[str] = []
    for words, command in sorted(commands(hopscope, "hopscope").items()):
        if words in described_elsewhere or isinstance(command, click.Group):
            continue
        # Some defaults are what this machine has; a page says the same everywhere.
        # The names of the help option come from the group, and click remembers those that it saw first.
        group = click.Context(hopscope, **hopscope.context_settings)
        context = click.Context(command, parent=group, info_name=words, terminal_width=_WIDTH, max_content_width=_WIDTH)
        sections.append(f"## {words}\n\n```text\n{command.get_help(context)}\n```\n")
    return OPENING + "\n" + "\n".join(sections)


def main() -> int:
    """Write the page, or compare it."""
    os.environ.pop("COLUMNS", None)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_commands.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
