"""`hopscope run`: start an MPI job under the collector."""

import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from hopscope.cli.command import next_step
from hopscope.cli.meant import check_first_word
from hopscope.cli.saying import say
from hopscope.cli.verdict import verdict_of
from hopscope.dataset import untraced
from hopscope.errors import InputError
from hopscope.launch.command import RECORDINGS, Request, environment, launcher_words, rank_count
from hopscope.launch.inputs import check_topology, check_tree, tree_names
from hopscope.launch.installed import MpiLibrary, fitting_collector, what_goes_unseen
from hopscope.launch.job import REFUSED, JobEnd, assemble, is_assembled, is_unassembled_run, run_job, worlds
from hopscope.launch.mpi_library import check_named_mpi, default_directory, find_mpi, find_program, missing_program
from hopscope.launch.network import Carried, Network, add_facts, network_for, on_hosts, read_network
from hopscope.launch.preload import loss_reason
from hopscope.launch.refusals import refusal_here

_RECORDING_OFF = "HOPSCOPE_RECORD=0 turned recording off"
_NO_MPI_INIT = (
    "no rank called MPI_Init under the collector: the program does not use MPI, or something between the launcher and "
    "the program changed LD_PRELOAD"
)
_NOTHING_RECORDED = f"nothing was recorded. If no line above gives a reason, {_NO_MPI_INIT}"
_NOTHING_FROM_A_FAILED_JOB = (
    "nothing was recorded. The lines above may say why; a launcher that refuses its options starts no rank. If neither "
    f"the launcher nor a rank gives a reason, {_NO_MPI_INIT}"
)


def tree_setting(tree: str | None, ranks: int | None = None) -> str | None:
    """The value of HOPSCOPE_TREE for the user's tree: the absolute path of a file, or a name. Checks the tree, also
    against the number of ranks if known."""
    if tree is None:
        return None
    check_tree(tree, ranks)
    return str(Path(tree).resolve()) if Path(tree).exists() and not Path(tree).is_dir() else tree


def complete_tree(_context: click.Context, _parameter: click.Parameter, word: str) -> list[CompletionItem]:
    """The names of trees that begin with the typed word; if there is none, file names."""
    names = [CompletionItem(name) for name in tree_names() if name.startswith(word)]
    return names or [CompletionItem(word, type="file")]


def topology_setting(topology: str | None) -> Path | None:
    """The absolute path of the topology file. Raises InputError if the file is wrong."""
    if topology is None:
        return None
    if "network" in check_topology(Path(topology)):
        raise InputError(f"{topology} asks for a `network`, which --topology does not make; give --net {topology}")
    return Path(topology).resolve()


def chosen_collector(mpi: MpiLibrary) -> str:
    """The installed collector that fits an MPI library. Says on stderr what that collector does not see."""
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
            f"{directory} already exists and is not empty. Hopscope never overwrites a trace; name another directory"
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
    shell_complete=complete_tree,
    help="Run collectives over this tree: a file, a shape such as binomial, or an algorithm such as ring.",
)
@click.option(
    "--topology", metavar="FILE", help="File that places ranks on hosts and clusters and says which links to emulate."
)
@click.option(
    "--net",
    metavar="FILE",
    help="Run on an emulated network: a topology file with `network`. Made for this run unless it is up. Needs root.",
)
@click.option(
    "--dir",
    "directory",
    metavar="DIR",
    envvar="HOPSCOPE_DIR",
    help="New directory for the trace. Default: HOPSCOPE_DIR if it is set, else hopscope-<program>-<n>.",
)
@click.option(
    "--record",
    type=click.Choice(RECORDINGS),
    help="What to record; `collectives` leaves out point-to-point messages. Default: all.",
)
@click.option(
    "--mpi",
    metavar="NAME",
    help="MPI library: openmpi, mpich or abi, or a release such as openmpi-5. Default: the one that the program needs.",
)
@click.option(
    "--also-untraced",
    is_flag=True,
    help="First run the job once with recording off. Its output appears twice, and `analyze trust` reports what "
    "tracing cost.",
)
@click.option(
    "--diagnosis/--no-diagnosis",
    default=True,
    envvar="HOPSCOPE_DIAGNOSIS",
    help="Say in a sentence what is wrong with the run, if that takes at most 2 s. Default: --diagnosis.",
)
@click.argument("words", nargs=-1, required=True, metavar="-- LAUNCHER ... PROGRAM ...", type=click.UNPROCESSED)
def command(
    *,
    tree: str | None,
    topology: str | None,
    net: str | None,
    directory: str | None,
    record: str | None,
    mpi: str | None,
    also_untraced: bool,
    diagnosis: bool,
    words: tuple[str, ...],
) -> None:
    """Run an MPI job under the collector and assemble its trace.

    Without --tree, the MPI library runs every collective, and each call is recorded. With --tree, the collectives
    that the tree covers run over it, and every hop is timestamped. The job's output and exit code stay unchanged.

    Example: hopscope run --tree binomial -- mpirun -n 8 ./app input.dat
    """
    check_first_word(words)
    if net and topology:
        raise click.UsageError("--net FILE places the ranks too; drop --topology")
    spec = read_network(Path(net)) if net else None
    collector = named_collector(mpi, words) or chosen_collector(find_mpi(words))
    program = find_program(words)
    request = Request(
        collector=collector,
        directory=free_directory(directory, program),
        tree=tree_setting(tree, rank_count(words)),
        topology=spec.file if spec else topology_setting(topology),
        record=record,
    )
    if spec is None:
        code = run_traced(request, words, also_untraced)
    else:
        with network_for(spec) as network:
            code = run_traced(request, words, also_untraced, network)
    if diagnosis and request.directory is not None and is_assembled(request.directory):
        verdict = verdict_of(request.directory)
        if verdict is not None:
            say(f"hopscope: {verdict}")
    sys.exit(code)


def run_traced(request: Request, words: Sequence[str], also_untraced: bool, network: Network | None = None) -> int:
    """Run a job under the collector. network: the job runs on its hosts. also_untraced: the job first runs once without
    recording. Reports where the trace is, and returns the job's exit code."""
    assert request.directory is not None
    variables = environment(request, os.environ)
    by_hand = {
        name: value for name, value in os.environ.items() if name.startswith("HOPSCOPE_") and name not in variables
    }
    untraced_ns: int | None = None
    if also_untraced:
        untraced_variables = {**variables, "HOPSCOPE_RECORD": "0"}
        job_end, untraced_ns = timed(
            launcher_words(words, request.collector, {**by_hand, **untraced_variables}), untraced_variables, network
        )
        if job_end.code != 0:
            say(f"hopscope: the job without recording ended with code {job_end.code}, so it was not traced")
            return job_end.code
    if network:
        network.carried()
    job_end, traced_ns = timed(launcher_words(words, request.collector, {**by_hand, **variables}), variables, network)
    carried: list[Carried] = []
    try:
        carried = network.carried() if network else []
    except InputError as error:
        say(f"hopscope: {error}")
    report(request.directory, job_end, words)
    if is_assembled(request.directory):
        if network and carried:
            add_facts(request.directory, network, carried)
        if untraced_ns is not None and job_end.code == 0:
            untraced.write(request.directory, untraced_ns, traced_ns)
    return job_end.code


def timed(words: Sequence[str], variables: Mapping[str, str], network: Network | None) -> tuple[JobEnd, int]:
    """Run the job; returns its end and its duration in ns."""
    if network:
        words, host_variables = on_hosts(words, network)
        variables = {**variables, **host_variables}
    begin = time.monotonic_ns()
    job_end = run_job(words, variables)
    return job_end, time.monotonic_ns() - begin


def report(directory: Path | None, job_end: JobEnd, words: Sequence[str]) -> None:
    """Reports on stderr where the trace is, and assembles it first if the job did not. words: the job's command line,
    which a launcher may have refused."""
    assert directory is not None
    short_path = os.path.relpath(directory) if directory.is_relative_to(Path.cwd()) else str(directory)
    try:
        if is_unassembled_run(directory):
            message = assemble(directory)
            if message:
                say(message)
    except InputError as error:
        say(f"hopscope: the trace in {short_path} is incomplete: {error}")
        say(f"hopscope: the recordings are still there; next: hopscope recover {shlex.quote(short_path)}")
        return
    if is_assembled(directory):
        sizes = [world["size"] for world in worlds(directory)]
        rank_count = f" ({sum(sizes)} ranks of {len(sizes)} worlds)" if len(sizes) > 1 else ""
        say(f"hopscope: the trace is in {short_path}{rank_count}; {next_step(Path(short_path))}")
    else:
        with_code = f"the job ended with code {job_end.code}, and " if job_end.code != 0 else ""
        say(f"hopscope: there is no trace: {with_code}{_reason_for_no_trace(job_end, words)}")


def _reason_for_no_trace(job_end: JobEnd, words: Sequence[str]) -> str:
    """The reason why a job left no recording."""
    missing = missing_program(words)
    if os.environ.get("HOPSCOPE_RECORD") == "0":
        return _RECORDING_OFF
    if job_end.interrupted:
        return "it was interrupted before any rank recorded"
    if missing is None and job_end.code == REFUSED:
        return "nothing was recorded; the lines above say why"
    if missing or job_end.code == 0:
        return missing or _lost_preload(words) or _NOTHING_RECORDED
    return refusal_here(words) or _lost_preload(words) or _NOTHING_FROM_A_FAILED_JOB


def _lost_preload(words: Sequence[str]) -> str | None:
    """The reason why the collector was not loaded into the program; None if none is known."""
    reason = loss_reason(words)
    return reason and f"nothing was recorded, for {reason}"
