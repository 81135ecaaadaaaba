"""`hopscope recover`: put together the trace of a job that could not do so itself."""

from pathlib import Path

import click

from hopscope.cli.command import next_step
from hopscope.cli.saying import say
from hopscope.launch.job import assemble, is_assembled, join


@click.command(name="recover", short_help="Put together the trace of a job that died.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("others", metavar="[OTHER]...", nargs=-1, type=click.Path(path_type=Path))
def command(directory: Path, others: tuple[Path, ...]) -> None:
    """Make the archive of a run from what its ranks recorded, and say what is missing.

    For a job that was killed, crashed or ended without MPI_Finalize. A trace that is whole is left as it is. Runs that
    were connected to it (MPI_Comm_accept, MPI_Comm_connect) become part of its trace if they are named behind it.

    Example: hopscope recover hopscope-app-1
    """
    for other in others:
        join(directory, other)
    if not others and is_assembled(directory) and not (directory / "spool").is_dir():
        say(f"hopscope: {directory} has its archive already; {next_step(directory)}")
        return
    said = assemble(directory)
    if said:
        say(said)
    say(f"hopscope: the trace is in {directory}; {next_step(directory)}")
