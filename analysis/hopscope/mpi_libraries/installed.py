"""Finds the installed MPI library that a run was made with, by its launcher's release."""

from __future__ import annotations

import shutil
import subprocess

from hopscope.errors import InputError
from hopscope.mpi_libraries.offered import NAMES, Library, asked, release_of

LAUNCHERS = {
    "openmpi": ("mpirun", "mpiexec", "mpirun.openmpi", "orterun"),
    "mpich": ("mpiexec", "mpirun", "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra"),
}
_SECONDS = 30


def flavour_of(mpi_library: str | None) -> str | None:
    """`openmpi` or `mpich`, by what the library of a run says of itself; None: another one, or it is not known."""
    said = mpi_library or ""
    return next((flavour for flavour, name in NAMES.items() if name in said), None)


def installed(flavour: str, mpi_library: str | None, launcher: str | None = None) -> Library:
    """The library that a run was made with, asked for its algorithms. mpi_library: what it said of itself. launcher:
    where to ask; None: the first on PATH of the run's release.

    Raises InputError where the run was made with another library, where none of that release is found, or where it
    cannot be asked.
    """
    name, release = NAMES[flavour], release_of(mpi_library)
    if flavour_of(mpi_library) != flavour or release is None:
        ran = (mpi_library or "an unknown MPI library").split(",")[0].strip()
        raise InputError(
            f"the run was made with {ran}, so it does not show what {name} spends on a message; trace the program with "
            f"{name} and ask again"
        )
    found = {one: _release(one) for one in ([launcher] if launcher else LAUNCHERS[flavour])}
    fitting = [one for one, its in found.items() if its == release]
    if fitting:
        return asked(flavour, fitting[0], release)
    seen = ", ".join(f"{one} is of release {its}" for one, its in found.items() if its) or "none was found"
    where = f"{launcher} is not its launcher" if launcher else "its launcher is not on PATH"
    raise InputError(
        f"the run was made with {name} {release}, which has to be asked for its algorithms, and {where} ({seen}); run "
        f"this where {name} {release} is installed, or name its launcher with --launcher"
    )


def _release(launcher: str) -> str | None:
    """By `LAUNCHER --version`; None if it is not there or does not say."""
    found = shutil.which(launcher)
    if found is None:
        return None
    try:
        done = subprocess.run(
            [found, "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return release_of(done.stdout + done.stderr)
