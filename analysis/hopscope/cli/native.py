"""`hopscope native`: manages the list of MPICH builds whose code the collector may change to record their messages."""

import json
import sys
import tempfile
from pathlib import Path

import click

import hopscope
from hopscope.cli.meant import check_first_word
from hopscope.cli.saying import say
from hopscope.launch.job import assemble
from hopscope.launch.mpi_library import find_mpi
from hopscope.launch.native_builds import allow, checked_library, sum_of, try_out, user_lines, user_list
from hopscope.launch.native_trial import OPERATIONS

RANKS = (2, 3, 4)


def what_is_wrong(directory: Path) -> str | None:
    """The reason why a trial's trace does not prove that both ends of every message were recorded; None if it does."""
    assemble(directory)
    native = json.loads((directory / "run.json").read_text()).get("native_messages") or {"off": "nothing was recorded"}
    if native["off"]:
        return str(native["off"])
    if native["lost"]:
        return f"the ends of {native['lost']} messages were not seen"
    trace = hopscope.open(directory)
    missing = [row["sentence"] for row in trace.limits() if row["kind"] == "missing"]
    if missing:
        return str(missing[0])
    summary_items = {str(row["item"]) for row in trace.run("summary").to_pylist() if row["section"] == "operations"}
    unseen = [operation for operation in OPERATIONS if f"hops of MPI_{operation}" not in summary_items]
    if unseen:
        return f"no message of MPI_{unseen[0]} was seen"
    broken = [row["rule"] for row in trace.run("check-data").to_pylist() if row["beyond"]]
    return f"the rule does not hold that {broken[0]}" if broken else None


@click.command(
    name="native",
    short_help="Verify an MPICH build for HOPSCOPE_NATIVE=mpich.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option("--verify", is_flag=True, help="Test the build that this command uses, and add it to your list.")
@click.argument("words", nargs=-1, metavar="[-- LAUNCHER ... PROGRAM ...]", type=click.UNPROCESSED)
def command(*, verify: bool, words: tuple[str, ...]) -> None:
    """Verify that the collector can record the messages of a build of MPICH, or print your list of such builds.

    With HOPSCOPE_NATIVE=mpich the collector changes MPICH's code in memory, but only in builds that were tested with
    Hopscope or are in your list. --verify runs collectives on 2, 3 and 4 ranks in jobs of its own. If their results
    are right and each message is seen at both ends, the build is added. The program only shows which MPI library is
    meant; it is not run.

    Example: hopscope native --verify -- mpiexec -n 4 ./app
    """
    check_first_word(words)
    if not verify:
        for line in user_lines():
            click.echo(line)
        say(f"hopscope: your list is {user_list()}; to add a build: hopscope native --verify -- mpiexec -n 4 ./app")
        return
    library = checked_library(find_mpi(words))
    for ranks in RANKS:
        with tempfile.TemporaryDirectory(prefix="hopscope-native-") as folder:
            trace, problem = try_out(library, words[0], ranks, Path(folder))
            problem = problem or what_is_wrong(trace)
        if problem:
            say(f"hopscope: {library} did not pass on {ranks} ranks and was not added to your list: {problem}")
            sys.exit(1)
    added = "added to" if allow(library) else "already in"
    say(f"hopscope: {library} (SHA-256 {sum_of(library)[:12]}...) passed on 2, 3 and 4 ranks; {added} {user_list()}")
