"""`hopscope run`: start an MPI job under the collector."""

import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from hopscope import untraced
from hopscope.cli.command import next_step
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.launch.command import RECORDINGS, Request, environment, launcher_words, rank_count
from hopscope.launch.inputs import check_topology, check_tree
from hopscope.launch.installed import MpiLibrary, fitting_collector, what_goes_unseen
from hopscope.launch.job import assemble, is_assembled, is_unassembled_run, run_job, worlds
from hopscope.launch.mpi_library import check_named_mpi, default_directory, find_mpi, find_program, missing_program

_RECORDING_OFF = "HOPSCOPE_RECORD=0 switches recording off"
_NOTHING_RECORDED = (
    "nothing was recorded. Where no rank says above why, none reached MPI_Init under the collector: the program calls "
    "no MPI, or brings it along in itself (linked statically), where nothing can be preloaded"
)


def tree_setting(tree: str | None, ranks: int | None = None) -> str | None:
    """What HOPSCOPE_TREE shall be for what the user gave: a file, then absolute, or a name; checked, also against the
    number of ranks where that is known."""
    if tree is None:
        return None
    check_tree(tree, ranks)
    return str(Path(tree).resolve()) if Path(tree).exists() and not Path(tree).is_dir() else tree


def topology_setting(topology: str | None) -> Path | None:
    """The checked topology file, absolute."""
    if topology is None:
        return None
    check_topology(Path(topology))
    return Path(topology).resolve()


def chosen_collector(mpi: MpiLibrary) -> str:
    """The installed collector that fits an MPI library. Says on stderr what that one does not see."""
    collector = fitting_collector(mpi)
    unseen = what_goes_unseen(mpi, collector)
    if unseen:
        say(f"hopscope: {unseen}")
    return collector


def named_collector(name: str | None, words: Sequence[str]) -> str | None:
    """The collector that --mpi names, which must be one for the program's MPI library."""
    if name is not None:
        check_named_mpi(name, words)
    return name


def free_directory(directory: str | None, program: str) -> Path:
    """The trace directory to write: the one given if it is new or empty, else a new `hopscope-<program>-<n>`."""
    if directory is None:
        return default_directory(program, Path.cwd())
    path = Path(directory).resolve()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(
            f"{directory} is there already and not empty; a trace is never written over: name another directory"
        )
    return path


@click.command(
    name="run",
    short_help="Run an MPI job under the collector.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--tree",
    metavar="FILE|NAME",
    help="Run collectives over this tree: a file, a shape such as binomial, or an algorithm such as ring.",
)
@click.option("--topology", metavar="FILE", help="Which rank is on which host and cluster, and which links to emulate.")
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    envvar="HOPSCOPE_DIR",
    help="The trace directory, new. Default: what HOPSCOPE_DIR says, else hopscope-<program>-<n>.",
)
@click.option(
    "--record", type=click.Choice(RECORDINGS), help="What to record; collectives leaves messages out. Default: all."
)
@click.option(
    "--mpi",
    metavar="NAME",
    help="openmpi, mpich or abi, or one release such as openmpi-5. Default: what the program needs.",
)
@click.option(
    "--also-untraced",
    is_flag=True,
    help="Run the job once more, before, with recording off: its output comes twice, and `analyze honesty` says what "
    "tracing cost.",
)
@click.argument("words", nargs=-1, required=True, metavar="-- LAUNCHER ... PROGRAM ...", type=click.UNPROCESSED)
def command(
    *,
    tree: str | None,
    topology: str | None,
    directory: str | None,
    record: str | None,
    mpi: str | None,
    also_untraced: bool,
    words: tuple[str, ...],
) -> None:
    """Run an MPI job under the collector and put its trace together.

    Without --tree every collective runs as the MPI library does it, and is recorded. With --tree those that the tree
    names run over it, every hop timestamped. The job's own output and exit code come through unchanged.

    Example: hopscope run --tree binomial -- mpirun -n 8 ./app input.dat
    """
    collector = named_collector(mpi, words) or chosen_collector(find_mpi(words))
    program = find_program(words)
    request = Request(
        collector=collector,
        directory=free_directory(directory, program),
        tree=tree_setting(tree, rank_count(words)),
        topology=topology_setting(topology),
        record=record,
    )
    variables = environment(request, os.environ)
    by_hand = {
        name: value for name, value in os.environ.items() if name.startswith("HOPSCOPE_") and name not in variables
    }
    untraced_ns: int | None = None
    if also_untraced:
        off = {**variables, "HOPSCOPE_RECORD": "0"}
        code, untraced_ns = timed(launcher_words(words, collector, {**by_hand, **off}), off)
        if code != 0:
            say(f"hopscope: the job ended with code {code} already with recording off; not traced")
            sys.exit(code)
    code, traced_ns = timed(launcher_words(words, collector, {**by_hand, **variables}), variables)
    report(request.directory, code, missing_program(words))
    assert request.directory is not None
    if untraced_ns is not None and code == 0 and is_assembled(request.directory):
        untraced.write(request.directory, untraced_ns, traced_ns)
    sys.exit(code)


def timed(words: Sequence[str], variables: Mapping[str, str]) -> tuple[int, int]:
    """Run the job; its exit code and how long it took, in ns."""
    begin = time.monotonic_ns()
    code = run_job(words, variables)
    return code, time.monotonic_ns() - begin


def report(directory: Path | None, code: int, missing: str | None = None) -> None:
    """Says on stderr what became of the trace, putting it together first if the job could not. missing: what is wrong
    with the program, if there is none to be started."""
    assert directory is not None
    shown = os.path.relpath(directory) if directory.is_relative_to(Path.cwd()) else str(directory)
    try:
        if is_unassembled_run(directory):
            said = assemble(directory)
            if said:
                say(said)
    except InputError as error:
        say(f"hopscope: the trace in {shown} is not complete: {error}")
        say(f"hopscope: what was recorded is still there: hopscope recover {shlex.quote(shown)}")
        return
    if is_assembled(directory):
        sizes = [world["size"] for world in worlds(directory)]
        of = f" ({sum(sizes)} ranks of {len(sizes)} worlds)" if len(sizes) > 1 else ""
        say(f"hopscope: the trace is in {shown}{of}; {next_step(Path(shown))}")
    else:
        ended = f"the job ended with code {code}, and " if code != 0 else ""
        why = _RECORDING_OFF if os.environ.get("HOPSCOPE_RECORD") == "0" else missing or _NOTHING_RECORDED
        say(f"hopscope: there is no trace: {ended}{why}")
