"""`hopscope preload`: the words that put the collector under any launcher's program."""

import shlex
from pathlib import Path

import click

from hopscope.cli.run import topology_setting, tree_setting
from hopscope.errors import InputError
from hopscope.launch.command import Request, preload_words
from hopscope.launch.flavour import launcher_flavour
from hopscope.launch.installed import FLAVOURS, installed_flavours


def default_flavour() -> str:
    """The only flavour installed, else that of the mpirun in the PATH."""
    installed = installed_flavours()
    if len(installed) == 1:
        return installed[0]
    flavour = launcher_flavour("mpirun") or launcher_flavour("mpiexec")
    if flavour is None:
        raise InputError(f"cannot tell which MPI library is meant; say --mpi {' or --mpi '.join(FLAVOURS)}")
    return flavour


@click.command(name="preload", short_help="Print the prefix that traces a program.")
@click.option("--mpi", type=click.Choice(FLAVOURS), help="The MPI library. Default: that of the mpirun in the PATH.")
@click.option("--tree", metavar="FILE|SHAPE", help="As for run.")
@click.option("--topology", metavar="FILE", help="As for run.")
@click.option(
    "--dir", "directory", metavar="DIR", help="The trace directory. Default: hopscope-<job id> where the job runs."
)
def command(mpi: str | None, tree: str | None, topology: str | None, directory: str | None) -> None:
    """Print the words that trace a program when they stand before it, for any launcher and batch script.

    Example: mpirun -n 8 $(hopscope preload) ./app
    """
    request = Request(
        flavour=mpi or default_flavour(),
        directory=Path(directory).resolve() if directory else None,
        tree=tree_setting(tree),
        topology=topology_setting(topology),
    )
    words = preload_words(request, {})
    for word in words:
        if shlex.quote(word) != word:
            # $(...) splits at spaces and knows no quotes, so such a word cannot be handed over this way.
            raise InputError(f"{word!r} cannot pass through a shell's $(...); use paths without spaces and quotes")
    click.echo(" ".join(words))
