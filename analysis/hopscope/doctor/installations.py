"""Finds the MPI libraries of this machine: those beside launchers, those of the dynamic loader, and those of mpi4py.
Loads each to ask for its version, and starts no job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from hopscope.launch.installed import MpiLibrary
from hopscope.launch.mpi_library import LOADER_NAMES, PRINT_MAPPED, launcher_mpi, library_mpi, mapped_mpi, python_mpi
from hopscope.launch.probing import library_beside
from hopscope.mpi_libraries.installed import LAUNCHERS, flavour_of
from hopscope.mpi_libraries.offered import NAMES, release_of

_PATIENCE_S = 30
_VERSION = f"""
import ctypes, sys
text, length = ctypes.create_string_buffer(8192), ctypes.c_int()
ctypes.CDLL(sys.argv[1]).MPI_Get_library_version(text, ctypes.byref(length))
{PRINT_MAPPED}
print()
print(text.value.decode(errors='replace'))
"""


@dataclass(frozen=True)
class Launcher:
    """A launcher, and the flavour of the MPI library that it names."""

    path: Path
    flavour: str

    @property
    def word(self) -> str:
        """The word to type: its name if that leads to it, else its path."""
        in_path = shutil.which(self.path.name)
        is_first = in_path is not None and Path(in_path).parent.resolve() == self.path.parent.resolve()
        return self.path.name if is_first else str(self.path)


@dataclass(frozen=True)
class Installation:
    """An MPI library. version: its own text; empty if it cannot be loaded, and `fault` says why."""

    mpi: MpiLibrary
    file: Path
    version: str = ""
    fault: str = ""
    launcher: Launcher | None = None
    pythons: tuple[Path, ...] = ()
    """The interpreters whose mpi4py uses it."""

    @property
    def name(self) -> str:
        """The library with its release: `Open MPI 4.1.4`."""
        flavour, release = flavour_of(self.version), release_of(self.version)
        if flavour is None or release is None:
            name = self.version.partition("\n")[0] or self.file.name
        else:
            name = f"{NAMES[flavour]} {release}"
        return f"{name}, standard ABI" if self.mpi.flavour == "abi" else name


def find_installations() -> list[Installation]:
    """The MPI libraries of this machine, those of launchers in the PATH first."""
    launchers = list(_launchers(_folders()))
    flavours = [(launcher, flavour) for launcher in launchers for flavour in (launcher.flavour, "abi")]
    names = [str(path) for launcher, flavour in flavours if (path := library_beside(str(launcher.path), flavour))]
    installations: dict[Path, Installation] = {}
    for name in [*names, *LOADER_NAMES]:
        installation = _load(name)
        if installation is not None:
            installations.setdefault(installation.file.resolve(), installation)
    for python in interpreters():
        mpi = python_mpi(python)
        if mpi is None or mpi.path is None:
            continue
        file = mpi.path.resolve()
        installation = installations.get(file) or _load(str(mpi.path))
        if installation is not None:
            installations[file] = replace(installation, pythons=(*installation.pythons, python))
    return [
        replace(installation, launcher=_launcher_of(installation, launchers)) for installation in installations.values()
    ]


def interpreters() -> list[Path]:
    """This interpreter, and the first python3 in the PATH if it is another one."""
    word = shutil.which("python3")
    interpreter = Path(sys.executable)
    paths = [interpreter, *([Path(word)] if word and Path(word).parent != interpreter.parent else [])]
    return [path.absolute() for path in paths]


def _folders() -> list[Path]:
    """The folders of the PATH and of this Python environment."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    return [*folders, Path(sys.prefix) / "bin"]


def _launchers(folders: Sequence[Path]) -> Iterator[Launcher]:
    """The launchers in these folders that name an MPI library, one of each flavour from each folder."""
    launchers: set[tuple[Path, str]] = set()
    files: set[Path] = set()
    for folder in folders:
        for name in dict.fromkeys(name for names in LAUNCHERS.values() for name in names):
            path = folder / name
            if path.resolve() in files or not os.access(path, os.X_OK) or not path.is_file():
                continue
            files.add(path.resolve())
            mpi = launcher_mpi(str(path))
            if mpi is not None and (folder.resolve(), mpi.flavour) not in launchers:
                launchers.add((folder.resolve(), mpi.flavour))
                yield Launcher(path, mpi.flavour)


def _load(name: str) -> Installation | None:
    """The MPI library that the dynamic loader finds by this name or path; None if it finds none by the name."""
    words = [sys.executable, "-I", "-S", "-c", _VERSION, name]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_PATIENCE_S)
        output, error = done.stdout, done.stderr.strip()
    except subprocess.TimeoutExpired:
        output, error = "", "it did not load in time"
    files, _, version = output.partition("\n\n")
    path = Path(name)
    mpi = library_mpi(path.name, path) if path.is_absolute() else mapped_mpi(files)
    if mpi is None or mpi.path is None:
        return None
    return Installation(mpi, mpi.path, version.strip(), "" if version.strip() else error.rpartition("\n")[2])


def _launcher_of(installation: Installation, launchers: Sequence[Launcher]) -> Launcher | None:
    """The launcher of a library: in the same prefix, else one that has no library beside it."""
    flavour = installation.mpi.flavour
    files = (installation.file, installation.file.resolve())
    folders = {(prefix / "bin").resolve() for file in files for prefix in file.parents[1:3]}
    for launcher in chain(launchers, _launchers(sorted(folders))):
        if launcher.path.parent.resolve() in folders and flavour in (launcher.flavour, "abi"):
            return launcher
    alone = (launcher for launcher in launchers if library_beside(str(launcher.path), launcher.flavour) is None)
    return next((launcher for launcher in alone if launcher.flavour == flavour), None)
