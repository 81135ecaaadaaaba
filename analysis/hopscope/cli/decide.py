"""`analyze decide`: the results of a sweep, as a table and as rules for the MPI library."""

from __future__ import annotations

import json
from pathlib import Path

import click

from hopscope.cli.command import columns_text, format_option, help_text
from hopscope.cli.rows import print_rows
from hopscope.cli.saying import say
from hopscope.files import whole_file
from hopscope.query import catalog

DECIDE = catalog.load().computed["decide"]


@click.command("decide", short_help=DECIDE.default.help)
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the rules to this file.")
@click.option(
    "--tree",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a tree file for the points where Hopscope's engine is faster than every algorithm of the library.",
)
def command(*, file: Path, output: Path | None, tree: Path | None, form: str) -> None:
    """Runs the command. Its help is made from sql/computed/decide.sql."""
    from hopscope.advice.sweep.decision import decisions, engine_rules, rules_of
    from hopscope.advice.sweep.measured import read
    from hopscope.advice.sweep.summary import summary

    sweep = read(file)
    rows = decisions(sweep)
    print_rows(DECIDE.default, rows, form)
    for line in summary(rows):
        say(line)
    if sweep.machine is None:
        say("The file lacks the machine's parameters, so no model can choose; `hopscope sweep --resume` measures them.")
    if output is not None:
        rules = rules_of(sweep, str(output.resolve()))
        if rules is None:
            say(f"No rule would be better than the library's own choices, so {output} was not written.")
        else:
            with whole_file(output) as written:
                written.write(rules.text.encode())
            say(f"wrote {output}; start programs with: {rules.words}")
    if tree is not None:
        content = engine_rules(sweep)
        if content is None:
            say(f"The engine was faster at no measured point, so {tree} was not written.")
        else:
            with whole_file(tree) as written:
                written.write((json.dumps(content, indent=1) + "\n").encode())
            say(f"wrote {tree}; start programs with: hopscope run --tree {tree} -- ...")


command.params.append(format_option())
command.help = help_text(DECIDE)
command.epilog = columns_text(DECIDE)
