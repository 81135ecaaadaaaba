"""Finds the collector's files, and the collector library that fits an MPI library.

The collector is built apart from the Python package (a cluster may have it without Python), into
``<prefix>/lib/hopscope``: the program ``hopscope-assemble``, and one ``libhopscope-<flavour>-<release>.so`` for each
MPI library that it was built with. The flavour is the ABI. Newer releases of a flavour have more functions. If a
collector defined a function that the program's MPI library lacks, programs would find and call it. So a collector fits
an MPI library that has every MPI function that the collector defines.
"""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.elf import exported_names
from hopscope.vocabulary.mpi_functions import FUNCTIONS

MPI_NAMES = {
    "openmpi": "Open MPI",
    "mpich": "MPICH and its ABI",
    "abi": "the MPI standard's ABI",
}
FLAVOURS = tuple(MPI_NAMES)


@dataclass(frozen=True)
class MpiLibrary:
    """The MPI library of a program: its ABI, and its file where that is known."""

    flavour: str
    path: Path | None = None


def collector_folders() -> list[Path]:
    """The folders that may have the collector's files, in the order of the search. If HOPSCOPE_COLLECTOR_DIR is set,
    only this folder is searched."""
    override = os.environ.get("HOPSCOPE_COLLECTOR_DIR")
    if override:
        return [Path(override), Path(override) / "lib" / "hopscope"]
    prefixes = (Path(sys.prefix), Path.home() / ".local", Path("/usr/local"), Path("/usr"))
    return [prefix / "lib" / "hopscope" for prefix in prefixes]


def collector_file(name: str) -> Path:
    """The absolute path of the collector's installed file with this name.

    Raises InputError if there is none; the message names the searched folders and the command that builds the file.
    """
    for folder in collector_folders():
        if (folder / name).is_file():
            return (folder / name).absolute()
    searched = ", ".join(str(folder) for folder in collector_folders())
    raise InputError(
        f"the collector's file {name} is not installed (looked in {searched}); build it with: hopscope build --mpicc "
        f"{_compiler(None)}"
    )


def collector_sources() -> Path:
    """The collector's sources: the checkout's, else those that were installed with the package."""
    package = Path(__file__).parents[1]
    for folder in (package.parents[1], package):
        if (folder / "collector" / "CMakeLists.txt").is_file():
            return folder / "collector"
    raise InputError("the collector's sources are missing; reinstall hopscope")


def _compiler(library: Path | None) -> str:
    """The compiler wrapper that probably belongs to an MPI library."""
    if library is not None:
        for folder in library.resolve().parents[1:3]:
            for name in ("mpicc_abi", "mpicc") if "abi" in library.name else ("mpicc",):
                if (folder / "bin" / name).is_file():
                    return str(folder / "bin" / name)
    return "PATH-OF-ITS-mpicc" if library is not None else "mpicc"


def _release(library: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", library.stem.rpartition("-")[2]))


def _collectors(flavour: str) -> Iterator[Path]:
    """The installed libraries of a flavour, the oldest release first."""
    libraries: dict[str, Path] = {}
    for folder in collector_folders():
        for path in folder.glob(f"libhopscope-{flavour}-*.so"):
            libraries.setdefault(path.name, path.absolute())
    yield from sorted(libraries.values(), key=_release)


def installed_flavours() -> list[str]:
    """The MPI flavours that the collector is installed for."""
    return [flavour for flavour in FLAVOURS if any(True for _ in _collectors(flavour))]


def collector_library(name: str) -> Path:
    """The absolute path of the library to preload. name: flavour and release, such as ``openmpi-5``, or a flavour
    alone. For a flavour alone it is the library of the oldest release, which also fits newer releases but does not
    record their new functions.

    Raises InputError if the collector was not built for it.
    """
    flavour, _, release = name.partition("-")
    if flavour not in FLAVOURS:
        raise InputError(f"unknown MPI flavour {flavour!r}; choose one of {', '.join(FLAVOURS)}")
    collectors = list(_collectors(flavour))
    if collectors and not release:
        return collectors[0]
    return collector_file(f"libhopscope-{name}.so")


def _mpi_functions(library: Path) -> set[str]:
    return {name for name in exported_names(library) if name.startswith("MPI_")}


def fitting_collector(mpi: MpiLibrary) -> str:
    """The name, for collector_library, of the installed collector that records the most functions of an MPI library.

    Raises InputError, with the command that builds one, if none fits.
    """
    functions = _mpi_functions(mpi.path) if mpi.path is not None else set[str]()
    if not functions:
        return mpi.flavour
    fitting = [path for path in _collectors(mpi.flavour) if _mpi_functions(path) <= functions]
    if not fitting:
        override = os.environ.get("HOPSCOPE_COLLECTOR_DIR")
        raise InputError(
            f"no installed collector fits {mpi.path} ({MPI_NAMES[mpi.flavour]}); build one with: hopscope build "
            f"--mpicc {_compiler(mpi.path)}"
            + (f" (looked only in {override}, because of HOPSCOPE_COLLECTOR_DIR)" if override else "")
        )
    # If two record equally many functions, take the newer one.
    return max(fitting, key=lambda path: (len(_mpi_functions(path)), _release(path))).stem.removeprefix("libhopscope-")


def unseen_functions(mpi: MpiLibrary, collector: str) -> list[str]:
    """Functions of an MPI library that this collector does not record, because it was built for an older release. Empty
    if the library's file is unknown."""
    if mpi.path is None:
        return []
    return sorted((FUNCTIONS.keys() & _mpi_functions(mpi.path)) - exported_names(collector_library(collector)))


def what_goes_unseen(mpi: MpiLibrary, collector: str) -> str | None:
    """A sentence on the functions that a collector does not record, with the command that helps; None if it records
    all."""
    unseen = unseen_functions(mpi, collector)
    if not unseen:
        return None
    function_count = f"{len(unseen)} functions" if len(unseen) > 1 else "a function"
    return (
        f"{collector_library(collector).name} is the best fit among the installed collectors, but it does not record "
        f"calls of {function_count} of {mpi.path} ({', '.join(unseen[:3])}{', ...' if len(unseen) > 3 else ''}); "
        f"build one that does with: hopscope build --mpicc {_compiler(mpi.path)}"
    )
