"""`hopscope recover`: assembles the trace of a job that could not do so itself."""

from pathlib import Path

import click

from hopscope.cli.command import next_step
from hopscope.cli.saying import say
from hopscope.launch.job import assemble, is_assembled, join


@click.command(name="recover", short_help="Assemble the trace of a job that died.")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("connected_runs", metavar="[OTHER]...", nargs=-1, type=click.Path(path_type=Path))
def command(directory: Path, connected_runs: tuple[Path, ...]) -> None:
    """Make the archive of a run from its ranks' recordings, and say what is missing.

    Use it for a job that was killed, crashed or ended without MPI_Finalize; a complete trace stays as it is. Name other
    runs that were connected to this one (MPI_Comm_accept, MPI_Comm_connect) after it to make them part of its trace.

    Example: hopscope recover hopscope-app-1
    """
    for run in connected_runs:
        join(directory, run)
    if not connected_runs and is_assembled(directory) and not (directory / "spool").is_dir():
        say(f"hopscope: {directory} already has an archive; {next_step(directory)}")
        return
    message = assemble(directory)
    if message:
        say(message)
    say(f"hopscope: the trace is in {directory}; {next_step(directory)}")
