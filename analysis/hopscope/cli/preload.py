"""`hopscope preload`: prints the words that load the collector into a program under any launcher."""

import shlex
from pathlib import Path

import click

from hopscope.cli.meant import check_first_word
from hopscope.cli.run import chosen_collector, complete_tree, named_collector, topology_setting, tree_setting
from hopscope.errors import InputError
from hopscope.launch.command import RECORDINGS, Request, preload_words
from hopscope.launch.installed import FLAVOURS, installed_flavours
from hopscope.launch.mpi_library import find_mpi, launcher_mpi


def default_collector(words: tuple[str, ...]) -> str:
    """The collector for the named program. Without a program: the collector for the only installed MPI flavour or, if
    there are several, for the mpirun in the PATH."""
    if words:
        return chosen_collector(find_mpi(words))
    installed = installed_flavours()
    if len(installed) == 1:
        return installed[0]
    mpi = launcher_mpi("mpirun") or launcher_mpi("mpiexec")
    if mpi is None:
        raise InputError(
            f"cannot tell which MPI library you mean; name the program, or give --mpi {' or --mpi '.join(FLAVOURS)}"
        )
    return chosen_collector(mpi)


@click.command(
    name="preload",
    short_help="Print the prefix that traces a program.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--mpi", metavar="NAME", help="As for run. Default: the program's library if you name one, else mpirun's."
)
@click.option("--tree", metavar="FILE|NAME", shell_complete=complete_tree, help="As for run.")
@click.option("--topology", metavar="FILE", help="As for run.")
@click.option("--record", type=click.Choice(RECORDINGS), help="As for run.")
@click.option(
    "--dir", "directory", metavar="DIR", help="The trace directory. Default: hopscope-<job id> where the job runs."
)
@click.argument("words", nargs=-1, metavar="[PROGRAM ...]", type=click.UNPROCESSED)
@click.pass_context
def command(
    context: click.Context,
    *,
    mpi: str | None,
    tree: str | None,
    topology: str | None,
    record: str | None,
    directory: str | None,
    words: tuple[str, ...],
) -> None:
    """Print the prefix that traces a program, for any launcher and batch script.

    Name the program after the options, and hopscope chooses the collector that fits its MPI library.

    Example: mpirun -n 8 $(hopscope preload ./app) ./app
    """
    check_first_word(words)
    option_names = {
        name for option in context.command.params if isinstance(option, click.Option) for name in option.opts
    }
    misplaced_words = [word for word in words if word.split("=")[0] in option_names]
    if misplaced_words:
        raise InputError(
            f"{misplaced_words[0]} comes after {words[0]}, so it would be passed to the program; "
            f"move it before {words[0]}"
        )
    request = Request(
        collector=named_collector(mpi, words) or default_collector(words),
        directory=Path(directory).resolve() if directory else None,
        tree=tree_setting(tree),
        topology=topology_setting(topology),
        record=record,
    )
    prefix = preload_words(request, {})
    for word in prefix:
        if shlex.quote(word) != word:
            # $(...) splits at spaces and ignores quotes, so such a word cannot be passed on.
            raise InputError(f"a shell's $(...) would split {word!r}; use paths without spaces and quotes")
    click.echo(" ".join(prefix))
