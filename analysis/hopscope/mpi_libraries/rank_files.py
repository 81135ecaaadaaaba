"""Writes files and options with which launchers place ranks.

Open MPI 4 and 5 read a hostfile with a line for each rank's host, in order of the ranks (mapper `seq`). Open MPI 4's
rankfile could place ranks too, but its `slot=*` binds every rank of a host to the first core (seen with 4.1.4).

MPICH's launcher treats each line of its host file as a separate node, so ranks of a host that is named twice do not
share memory. From release 5 on, its option `-rankmap` names the node of each rank instead. Intel MPI's machine file may
name a host several times.
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
from hopscope.mpi_libraries.installed import flavour_of

LAUNCHERS = ("openmpi-4", "openmpi-5", "mpich", "intelmpi", "slurm")
_MPICH_WITH_RANKMAP = 5


@dataclass(frozen=True)
class LauncherFile:
    """A file for a launcher, the command that uses it, and a note on it."""

    text: str
    command: str
    """The command line up to the program."""
    note: str | None = None


def launcher_of(mpi_library: str | None) -> str | None:
    """The kind of launcher (one of LAUNCHERS) of a run's MPI library; None if unknown. mpi_library: the library's
    version text."""
    version = mpi_library or ""
    if release := re.search(r"Open MPI v?([0-9]+)", version):
        return "openmpi-4" if int(release[1]) <= 4 else "openmpi-5"
    return {"mpich": "mpich", "intelmpi": "intelmpi"}.get(flavour_of(version) or "")


def launcher_for(choice: str | None, mpi_library: str | None) -> str:
    """The kind of launcher that will read a file: `choice` or, if None, that of the run's MPI library. Raises
    InputError if it is unknown."""
    launcher = choice or launcher_of(mpi_library)
    if launcher not in LAUNCHERS:
        raise InputError(f"the trace does not say which launcher reads the file; add --for {'|'.join(LAUNCHERS)}")
    return launcher


def write_order(output: Path, launcher: str, hosts: Sequence[str], mpi_library: str | None) -> LauncherFile:
    """Write a rank order to a file for a launcher. hosts: the host of each rank. mpi_library: the version text of the
    run's MPI library. Raises InputError if the file cannot be written."""
    launcher_library = mpi_library if launcher_of(mpi_library) == launcher else None
    file = file_of(launcher, hosts, str(output), launcher_library)
    with whole_file(output) as written:
        written.write(file.text.encode())
    return file


def file_of(launcher: str, hosts: Sequence[str], path: str, mpi_library: str | None = None) -> LauncherFile:
    """The file for a launcher. hosts: the host of each rank of MPI_COMM_WORLD. path: of the future file."""
    return _WRITERS[launcher](list(hosts), shlex.quote(path), mpi_library or "")


def _open_mpi(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    return LauncherFile(_lines(hosts), f"mpirun -n {len(hosts)} --hostfile {path} --map-by seq")


def _slurm(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    # `--distribution=arbitrary` makes srun read the file that SLURM_HOSTFILE names.
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


def _intel_mpi(hosts: list[str], path: str, mpi_library: str) -> LauncherFile:
    lines = [f"{host}:{len(list(ranks))}" for host, ranks in groupby(hosts)]
    return LauncherFile(_lines(lines), f"mpiexec -n {len(hosts)} -machinefile {path}")


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


_WRITERS: dict[str, Callable[[list[str], str, str], LauncherFile]] = {
    "openmpi-4": _open_mpi,
    "openmpi-5": _open_mpi,
    "mpich": _mpich,
    "intelmpi": _intel_mpi,
    "slurm": _slurm,
}
