"""Keeps the user's list of MPICH builds that the collector may patch to record their messages, and tries out a build.

The collector knows the builds that were tested with it (collector/src/native/mpich/builds.c), and reads this list too.
"""

import hashlib
import os
import sys
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch import native_trial
from hopscope.launch.command import Request, environment
from hopscope.launch.installed import MPI_NAMES, MpiLibrary, fitting_collector
from hopscope.launch.quiet_job import run_quietly

PATIENCE_S = 300
IN_MESSAGES = {
    "HOPSCOPE_NATIVE": "mpich",
    # Otherwise MPICH 5 stops sending messages after a few collectives on one host: it uses shared memory instead.
    "MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD": str(10**9),
    # Intel MPI's collectives use shared memory on one host.
    "I_MPI_COLL_INTRANODE": "pt2pt",
}
"""The variables with which the collector records the messages of MPICH or Intel MPI."""


def user_list() -> Path:
    """The user's list: a file whose lines begin with the SHA-256 of a library's file."""
    return _list_in(Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"))


def _list_in(settings: Path) -> Path:
    return settings / "hopscope" / "native"


def user_lines() -> list[str]:
    """The lines of the user's list; empty if there is no list."""
    return user_list().read_text().splitlines() if user_list().exists() else []


def checked_library(mpi: MpiLibrary) -> Path:
    """The library file of an MPICH. Raises InputError if the MPI library is not MPICH, or if its file is unknown."""
    if mpi.flavour != "mpich":
        raise InputError(f"only builds of MPICH have to be verified, but this command uses {MPI_NAMES[mpi.flavour]}")
    if mpi.path is None:
        raise InputError("no program in this command is linked to MPICH, so its library is not known; name one that is")
    return mpi.path


def sum_of(library: Path) -> str:
    """The checksum that identifies a build."""
    with library.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_listed(checksum: str) -> bool:
    """True if the user's list has the build with this checksum."""
    return any(line.startswith(checksum) for line in user_lines())


def allow(library: Path) -> bool:
    """Add a build to the user's list. Returns False if it is there already."""
    checksum = sum_of(library)
    if is_listed(checksum):
        return False
    user_list().parent.mkdir(parents=True, exist_ok=True)
    with user_list().open("a") as file:
        file.write(f"{checksum}  {library.resolve()}\n")
    return True


def try_out(library: Path, launcher: str, ranks: int, folder: Path) -> tuple[Path, str | None]:
    """Run the trial on `ranks` ranks, with MPI_THREAD_MULTIPLE if their number is odd. The collector patches the build,
    because the trial uses a list in `folder` that contains it.

    Returns the trace directory, and the fault or None.
    """
    settings = folder / "settings"
    _list_in(settings).parent.mkdir(parents=True, exist_ok=True)
    _list_in(settings).write_text(f"{sum_of(library)}\n")
    trace = folder / f"trace-{ranks}"
    request = Request(collector=fitting_collector(MpiLibrary("mpich", library)), directory=trace)
    inherited = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("HOPSCOPE_") or key == "HOPSCOPE_COLLECTOR_DIR"
    }
    variables = {
        **environment(request, inherited),
        **IN_MESSAGES,
        "XDG_CONFIG_HOME": str(settings),
    }
    level = native_trial.THREAD_LEVELS[ranks % 2]
    words = [launcher, "-n", str(ranks), sys.executable, str(native_trial.__file__), str(library), str(level)]
    code, lines = run_quietly(words, folder, {**inherited, **variables}, PATIENCE_S)
    if code is None:
        return trace, "the trial did not end in time"
    if code != 0:
        return trace, f"the trial ended with code {code}: {lines[-1] if lines else 'it said nothing'}"
    return trace, None
