"""`hopscope tune`: measure which setting makes a program faster."""

from __future__ import annotations

import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from hopscope.cli.meant import check_first_word
from hopscope.cli.saying import say
from hopscope.errors import INTERRUPTED, InputError, is_interrupt
from hopscope.launch.command import named_program
from hopscope.launch.inputs import kind_of
from hopscope.launch.network import read_network
from hopscope.launch.network.kept import staying


@click.command(
    name="tune",
    short_help="Measure which setting makes a program faster.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tuned"),
    show_default=True,
    help="New directory for the result.",
)
@click.option("--budget", default="10m", show_default=True, help="Total time, such as 90s, 10m or 1h.")
@click.option("--runs", type=click.IntRange(min=1), help="Total number of runs, instead of --budget.")
@click.option("--net", metavar="FILE", help="Run on an emulated network, made for this unless it is up. Needs root.")
@click.option("--iterations", type=click.IntRange(min=10), metavar="N", help="End each run after N iterations.")
@click.option("--short", metavar="CMD", help="A shorter form of the program to measure, without the launcher.")
@click.option("--check", metavar="CMD", help="Shell command that reads a run's output and fails if it is wrong.")
@click.option("--metric", metavar="REGEX", help="Compare the number in the output that REGEX's first group matches.")
@click.option("--maximize", is_flag=True, help="A larger --metric is better.")
@click.option("--engine", is_flag=True, help="Also try the trees and algorithms of Hopscope's engine.")
@click.option(
    "--machine", metavar="FILE", help="File of `sweep`, to try its rules first, or of `probe`, to screen by its costs."
)
@click.option("--resume", is_flag=True, help="Continue the tuning in --output.")
@click.option(
    "--verify",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Measure the result in this directory again. Exit code 1: its gain is gone; 2: undecided.",
)
@click.argument("words", nargs=-1, metavar="-- LAUNCHER ... PROGRAM ...", type=click.UNPROCESSED)
def command(*, words: tuple[str, ...], verify: Path | None, **options: Any) -> None:
    """Measure which algorithm, parameter, rank order or binding makes a program faster.

    Runs the program many times: first unchanged, then with candidates that a replay considers promising, each beside a
    run of the unchanged program. The best candidate is confirmed by fresh pairs of runs. A gain counts only if all of
    its 95 % interval lies above 1 %; else the answer is to leave the program as it is. Ctrl-C keeps what was measured.

    \b
    Example: hopscope tune --budget 10m -- mpirun -n 8 ./app input.dat
             hopscope tune --verify tuned
    """
    from hopscope.advice.tune import start  # imported late, so that the command starts quickly
    from hopscope.trace import open as open_trace  # loads all analyses

    if verify is not None:
        if words:
            raise click.UsageError("--verify runs the command that was tuned; drop the words after --")
        with _network(start.network_of(verify)):
            verified = start.verified(verify, open_trace, say)
        click.echo(verified.sentence)
        sys.exit(verified.code)
    if words:
        check_first_word(words)
    elif not options["resume"]:
        raise click.UsageError("give the program's command line after --")
    net = options["net"] or (start.network_of(options["output"]) if options["resume"] else None)
    try:
        with _network(net):
            request = _request(words, options)
            answer = start.tuned(options["output"], words, request, open_trace, say, resume=options["resume"])
    except (KeyboardInterrupt, RuntimeError) as error:
        if not is_interrupt(error):
            raise
        say(f"hopscope: interrupted; go on with: hopscope tune --resume -o {shlex.quote(str(options['output']))}")
        sys.exit(INTERRUPTED)
    click.echo(answer)


def _request(words: tuple[str, ...], options: dict[str, Any]) -> dict[str, Any]:
    from hopscope.advice.tune.budget import seconds_of

    short = None if options["short"] is None else shortened(words, shlex.split(options["short"]))
    names = ("check", "metric", "maximize", "iterations", "engine", "runs")
    budget_s = None if options["runs"] is not None else seconds_of(options["budget"])
    net = None if options["net"] is None else str(Path(options["net"]).resolve())
    machine = None if options["machine"] is None else str(Path(options["machine"]).resolve())
    if machine is not None and kind_of(Path(machine)) not in ("machine", "sweep"):
        raise InputError(
            f"--machine {machine} was not written by `hopscope sweep` or `hopscope probe`; give such a file"
        )
    rest = {name: options[name] for name in names}
    return {"words": list(words), "net": net, "short": short, "machine": machine, "budget_s": budget_s, **rest}


def shortened(words: tuple[str, ...], program: list[str]) -> list[str]:
    """The command line with its program replaced by `program`. Raises InputError if it is unclear which word is the
    program."""
    name = named_program(words)
    if name is None:
        raise InputError(f"the program in `{shlex.join(words)}` is not recognised, so --short cannot replace it")
    return [*words[: words.index(name)], *program]


def _network(net: str | None) -> Any:
    return nullcontext() if net is None else staying(read_network(Path(net)))
