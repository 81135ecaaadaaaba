"""Writes docs/commands.md from the help of all commands that are not in docs/analyses.md; with --check, fails if the
page is out of date."""

import os
import sys
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path
from textwrap import dedent, indent

import click
from hopscope.cli.analyze import COMPUTED
from hopscope.cli.main import hopscope
from hopscope.query import catalog

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
OPENING = """# The commands

Made by `tools/document_commands.py` from what `--help` says. The analyses (`analyze critical-path` and so on) have a
page of their own, [analyses.md](analyses.md), which also says what `decide`, `gate` and `history` answer. `analyze` is
short for `hopscope analyze`. These options mean the same for every command that has them:

{shared}
"""
SHARED = 2
"""Commands that must have an option for it to be described once at the top."""
EXPLAINED_ELSEWHERE = ("hopscope analyze decide", "hopscope analyze gate", "hopscope analyze history")
"""Commands whose description is in docs/analyses.md; only their options are here."""
_WIDTH = 100


def commands(command: click.Command, prefix: str) -> dict[str, click.Command]:
    """A command and all commands below it, by the words to type."""
    named_commands = {prefix: command}
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            subcommand = command.get_command(context, name)
            assert subcommand is not None
            named_commands |= commands(subcommand, f"{prefix} {name}")
    return named_commands


def records(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    """Each option with its meaning, as help shows them."""
    options = (parameter for parameter in command.get_params(context) if isinstance(parameter, click.Option))
    help_records = (option.get_help_record(context) for option in options)
    return [record for record in help_records if record is not None]


def block(write: Callable[[click.HelpFormatter], None]) -> str:
    """The text that `write` writes, as an indented block of the page."""
    formatter = click.HelpFormatter(width=_WIDTH)
    write(formatter)
    return indent(dedent(formatter.getvalue()).strip("\n"), "    ")


def _section(words: str, command: click.Command, context: click.Context, shared: Collection[tuple[str, str]]) -> str:
    def write(formatter: click.HelpFormatter) -> None:
        if words not in EXPLAINED_ELSEWHERE:
            command.format_help_text(context, formatter)
        records_shown = [record for record in records(command, context) if record not in shared]
        if records_shown:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_dl(records_shown)
        if words not in EXPLAINED_ELSEWHERE:
            command.format_epilog(context, formatter)

    arguments = " ".join(word for word in command.collect_usage_pieces(context) if word != "[OPTIONS]")
    arguments_text = f"Arguments: `{arguments}`\n\n" if arguments else ""
    return f"## {words}\n\n{arguments_text}{block(write)}\n"


def page() -> str:
    """The whole page."""
    described_elsewhere = {f"hopscope analyze {name}" for name in [*catalog.load().commands, *COMPUTED]}
    contexts: dict[str, click.Context] = {}
    for words, command in sorted(commands(hopscope, "hopscope").items()):
        if words in described_elsewhere or isinstance(command, click.Group):
            continue
        # The names of the help option come from the group. click keeps those of the first context that it sees.
        group = click.Context(hopscope, **hopscope.context_settings)
        contexts[words] = click.Context(
            command, parent=group, info_name=words, terminal_width=_WIDTH, max_content_width=_WIDTH
        )
    times = Counter(record for context in contexts.values() for record in records(context.command, context))
    shared = sorted(record for record, number in times.items() if number >= SHARED)
    sections = [_section(words, context.command, context, shared) for words, context in contexts.items()]
    opening = OPENING.format(shared=block(lambda formatter: formatter.write_dl(shared)))
    return opening + "\n" + "\n".join(sections)


def main() -> int:
    """Write the page, or with --check compare it."""
    os.environ.pop("COLUMNS", None)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page())
    elif not PAGE.exists() or PAGE.read_text() != page():
        print(f"{PAGE.name} is out of date: run .venv/bin/python tools/document_commands.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
