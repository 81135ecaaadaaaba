"""Where the collector's files are.

The collector is built apart from the Python package (a cluster may have it without Python), into
``<prefix>/lib/hopscope``: one ``libhopscope-<flavour>.so`` per MPI flavour and the program ``hopscope-assemble``.
"""

import os
import sys
from pathlib import Path

from hopscope.errors import InputError

FLAVOURS = ("openmpi", "mpich")
MPI_NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}

_BUILD = (
    "cmake -S collector -B build/collector -DMPI_C_COMPILER=mpicc -DCMAKE_INSTALL_PREFIX={prefix}, then --install it"
)


def collector_folders() -> list[Path]:
    """The folders that are searched, in order: HOPSCOPE_COLLECTOR_DIR alone if it is set."""
    override = os.environ.get("HOPSCOPE_COLLECTOR_DIR")
    if override:
        return [Path(override), Path(override) / "lib" / "hopscope"]
    prefixes = (Path(sys.prefix), Path.home() / ".local", Path("/usr/local"), Path("/usr"))
    return [prefix / "lib" / "hopscope" for prefix in prefixes]


def collector_file(name: str) -> Path:
    """The installed collector file of that name, absolute.

    Raises InputError, naming where it was looked for and how to build it, if there is none.
    """
    for folder in collector_folders():
        if (folder / name).is_file():
            return (folder / name).resolve()
    searched = ", ".join(str(folder) for folder in collector_folders())
    raise InputError(
        f"the collector's file {name} is not installed (looked in {searched}); in a checkout type `make dev`, "
        f"elsewhere build it: {_BUILD.format(prefix=sys.prefix)}"
    )


def installed_flavours() -> list[str]:
    """The MPI flavours that the collector is installed for."""
    return [
        flavour
        for flavour in FLAVOURS
        if any((folder / f"libhopscope-{flavour}.so").is_file() for folder in collector_folders())
    ]


def collector_library(flavour: str) -> Path:
    """The library to preload under that MPI flavour (``openmpi`` or ``mpich``), absolute.

    Raises InputError if the collector was not built for it.
    """
    if flavour not in FLAVOURS:
        raise InputError(f"no MPI flavour is called {flavour!r}; there are {' and '.join(FLAVOURS)}")
    return collector_file(f"libhopscope-{flavour}.so")
