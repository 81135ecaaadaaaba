"""Finds the installed MPI library with which a run was made, by the release that its launcher prints."""

from __future__ import annotations

import shutil
import subprocess

from hopscope.errors import InputError
from hopscope.mpi_libraries.offered import NAMES, Library, query_library, release_of

LAUNCHERS = {
    "openmpi": ("mpirun", "mpiexec", "mpirun.openmpi", "orterun"),
    "mpich": ("mpiexec", "mpirun", "mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra"),
    "intelmpi": ("mpiexec", "mpirun", "mpiexec.hydra"),
}
_TEXTS = {**NAMES, "intelmpi": "Intel(R) MPI"}
"""The name of each flavour in its version text."""
_SECONDS = 30


def flavour_of(mpi_library: str | None) -> str | None:
    """The flavour of a run's MPI library, one of NAMES; None for another or unknown one. mpi_library: the library's
    version text."""
    version = mpi_library or ""
    return next((flavour for flavour, text in _TEXTS.items() if text in version), None)


def known_flavour(mpi_library: str | None) -> str:
    """The flavour of a run's MPI library, one of NAMES. Raises InputError for another or unknown one."""
    flavour = flavour_of(mpi_library)
    if flavour is None:
        raise InputError(
            "the trace does not say that its MPI library is Open MPI, MPICH or Intel MPI, whose settings are known"
        )
    return flavour


def installed(flavour: str, mpi_library: str | None, launcher: str | None = None) -> Library:
    """The installed library with which a run was made, and its algorithms. mpi_library: the version text of the run's
    library. launcher: the launcher of the library; None: the first on PATH whose release is the run's.

    Raises InputError if the run was made with a library of another flavour, if no library of the run's release is
    found, or if it cannot be asked for its algorithms.
    """
    name, release = NAMES[flavour], release_of(mpi_library)
    if flavour_of(mpi_library) != flavour or release is None:
        library = (mpi_library or "an unknown MPI library").split(",")[0].strip()
        raise InputError(
            f"the run was made with {library}, so it does not show what {name} spends on a message; trace the program "
            f"with {name} and ask again"
        )
    releases = {command: _release(command) for command in ([launcher] if launcher else LAUNCHERS[flavour])}
    fitting = [command for command, command_release in releases.items() if command_release == release]
    if fitting:
        return query_library(flavour, fitting[0], release)
    summary = (
        ", ".join(
            f"{command} is of release {command_release}"
            for command, command_release in releases.items()
            if command_release
        )
        or "none was found"
    )
    reason = f"{launcher} is not its launcher" if launcher else "its launcher is not on PATH"
    raise InputError(
        f"the run was made with {name} {release}, which has to be asked for its algorithms, and {reason} ({summary}); "
        f"run this where {name} {release} is installed, or name its launcher with --launcher"
    )


def _release(launcher: str) -> str | None:
    """The release that `LAUNCHER --version` prints; None if the launcher is missing or prints none."""
    path = shutil.which(launcher)
    if path is None:
        return None
    try:
        done = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return release_of(done.stdout + done.stderr)
