"""The files and options with which launchers place ranks.

Open MPI 4 and 5 read a hostfile with one host for each rank, which the mapper `seq` uses in order. Open MPI 4's
rankfile would do this too, but its `slot=*` binds every rank of a host to the first core (seen with 4.1.4).

MPICH's launcher takes each line of its host file for a node, so ranks of a host that is named twice do not share
memory. From release 5 on, `-rankmap` names the node of each rank instead.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from hopscope.errors import InputError
from hopscope.files import whole_file

LAUNCHERS = ("openmpi-4", "openmpi-5", "mpich", "slurm")
_MPICH_WITH_RANKMAP = 5


@dataclass(frozen=True)
class LauncherFile:
    """A file for a launcher, the command that uses it, and a note on it."""

    text: str
    command: str
    """The command line up to the program."""
    note: str | None = None


def launcher_of(mpi_library: str | None) -> str | None:
    """The launcher of a run's MPI library, by the library's version text; None if unknown."""
    version = mpi_library or ""
    if release := re.search(r"Open MPI v?([0-9]+)", version):
        return "openmpi-4" if int(release[1]) <= 4 else "openmpi-5"
    return "mpich" if "MPICH" in version else None


def launcher_for(choice: str | None, mpi_library: str | None) -> str:
    """The launcher that is to read a file: `choice`, or that of the run's MPI library. Raises InputError if neither is
    known."""
    launcher = choice or launcher_of(mpi_library)
    if launcher not in LAUNCHERS:
        raise InputError(f"the trace does not say which launcher reads the file; add --for {'|'.join(LAUNCHERS)}")
    return launcher


def write_order(output: Path, launcher: str, hosts: Sequence[str], mpi_library: str | None) -> LauncherFile:
    """Write the launcher's file. mpi_library: that of the run. Raises InputError if the file cannot be written."""
    launcher_library = mpi_library if launcher_of(mpi_library) == launcher else None
    file = file_of(launcher, hosts, str(output), launcher_library)
    with whole_file(output) as written:
        written.write(file.text.encode())
    return file


def file_of(launcher: str, hosts: Sequence[str], path: str, mpi_library: str | None = None) -> LauncherFile:
    """The file for a launcher. hosts: the host of each rank of MPI_COMM_WORLD. path: where the file will be."""
    return _WRITERS[launcher](list(hosts), shlex.quote(path), mpi_library or "")


def _open_mpi(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    return LauncherFile(_lines(hosts), f"mpirun -n {len(hosts)} --hostfile {path} --map-by seq")


def _slurm(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    # The name of the distribution alone makes srun read SLURM_HOSTFILE.
    return LauncherFile(_lines(hosts), f"SLURM_HOSTFILE={path} srun -n {len(hosts)} --distribution=arbitrary")


def _mpich(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    blocks = [(host, len(list(ranks))) for host, ranks in groupby(hosts)]
    names = list(dict.fromkeys(hosts))
    command = f"mpiexec -n {len(hosts)} -f {path}"
    if len(blocks) == len(names):
        return LauncherFile(_lines([f"{host}:{count}" for host, count in blocks]), command)
    release = re.search(r"MPICH.*?([0-9]+)\.", mpi_library)
    if release is None or int(release[1]) >= _MPICH_WITH_RANKMAP:
        counts = [f"{host}:{hosts.count(host)}" for host in names]
        nodes = ",".join(str(names.index(host)) for host in hosts)
        note = None if release else "MPICH has `-rankmap` from release 5 on"
        return LauncherFile(_lines(counts), f"{command} -rankmap {nodes}", note)
    note = (
        "ranks of a host that the file names more than once do not share memory there: this release of MPICH takes "
        "each line for a node of its own; release 5 has `-rankmap`: trace the program with it, and write the file again"
    )
    return LauncherFile(_lines([f"{host}:{count}" for host, count in blocks]), command, note)


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


_WRITERS: dict[str, Callable[[list[str], str, str], LauncherFile]] = {
    "openmpi-4": _open_mpi,
    "openmpi-5": _open_mpi,
    "mpich": _mpich,
    "slurm": _slurm,
}
