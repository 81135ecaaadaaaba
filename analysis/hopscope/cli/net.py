"""`hopscope net`: manages emulated networks of hosts on this machine that stay up for several runs."""

import subprocess
import sys
from pathlib import Path

import click

from hopscope.cli.meant import check_first_word
from hopscope.cli.saying import say
from hopscope.errors import InputError
from hopscope.launch.network import read_network
from hopscope.launch.network.kept import down as take_down
from hopscope.launch.network.kept import find, running_networks
from hopscope.launch.network.kept import up as put_up


@click.group(name="net", short_help="Keep a network of hosts on this machine for several runs.")
def command() -> None:
    """Keep a network of hosts on this machine for several runs (root, Linux).

    The topology file's `network` describes the links. Each host is a set of namespaces; a relay delays all traffic
    between two clusters, including the MPI library's own messages.

    \b
    hopscope net up sites.json
    hopscope run --net sites.json -- mpirun -n 8 ./app
    hopscope net down sites.json
    """


@command.command(short_help="Make a network that stays.")
@click.argument("file", type=click.Path(path_type=Path))
def up(file: Path) -> None:
    """Make the network that a topology file asks for. `hopscope run --net FILE` then runs on it.

    Example: hopscope net up sites.json
    """
    network = put_up(read_network(file))
    hosts, clusters = len(network.spec.hosts), len(network.spec.clusters)
    say(
        f"hopscope: {hosts} hosts in {clusters} clusters are up; next: hopscope run --net {file} -- mpirun ..., and in "
        f"the end: hopscope net down {file}"
    )


@command.command(short_help="End a network that stays.")
@click.argument("file", type=click.Path(path_type=Path))
def down(file: Path) -> None:
    """End a topology file's network, with every process that still runs on its hosts.

    Example: hopscope net down sites.json
    """
    take_down(file)
    say(f"hopscope: the network of {file} is down")


@command.command(name="list", short_help="Print the networks that are up.")
def list_() -> None:
    """Print the topology files whose networks are up.

    Example: hopscope net list
    """
    for file in running_networks():
        click.echo(file)


@command.command(
    name="exec",
    short_help="Run a command on a host of a network.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("host")
@click.argument("words", nargs=-1, required=True, metavar="-- COMMAND ...", type=click.UNPROCESSED)
def exec_(file: Path, host: str, words: tuple[str, ...]) -> None:
    """Run a command on a host of a network that is up.

    Example: hopscope net exec sites.json a0 -- ip address
    """
    check_first_word([str(file)])
    network = find(read_network(file))
    if network is None:
        raise InputError(f"no network of {file} is up; make it with: hopscope net up {file}")
    command = words[1:] if words[0] == "--" else words
    sys.exit(subprocess.run([*network.on_host(host), *command], check=False).returncode)
