"""`hopscope build`: make the collector for one more MPI library."""

import sys
from pathlib import Path

import click

from hopscope.cli.saying import say
from hopscope.launch.building import build_collector


@click.command(name="build", short_help="Build the collector for an MPI library.")
@click.option(
    "--mpicc", default="mpicc", metavar="PATH", show_default=True, help="Compiler wrapper of that MPI library."
)
@click.option("--prefix", metavar="DIR", help="Install it into DIR/lib/hopscope. Default: beside hopscope.")
def command(mpicc: str, prefix: str | None) -> None:
    """Build the collector for an MPI library, from the sources that come with hopscope.

    Each ABI and release of MPI needs its own library. Building takes cmake and a C compiler. Without the
    assembler of a self-contained wheel, it also takes pkg-config and libotf2.

    Example: hopscope build --mpicc /opt/openmpi-5/bin/mpicc
    """
    library = build_collector(mpicc, Path(prefix).resolve() if prefix else Path(sys.prefix))
    say(f"hopscope: built {library}")
