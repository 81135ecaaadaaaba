"""Finds the program that a probe runs on every rank, and the MPI library that the program loads."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.command import named_program
from hopscope.launch.elf import is_elf
from hopscope.launch.installed import MpiLibrary, collector_file, collector_library, fitting_collector
from hopscope.launch.mpi_library import find_mpi, library_mpi, program_mpi

_PROBE = "hopscope-probe-"
_LIBRARY_FOLDERS = ("lib", "lib64", "lib/release")


def with_probe(words: Sequence[str], collector_name: str | None = None) -> list[str]:
    """A launcher and its options, followed by the probe's program and the MPI library's file.

    collector_name: `openmpi` or `openmpi-5`, for a launcher that does not show its MPI library. Raises InputError if
    the command already starts a program, or if no collector is installed for the MPI library.
    """
    program_name = next((word for word in words[1:] if _is_mpi_program(word)), None) or named_program(words)
    if program_name is not None:
        raise InputError(
            f"a probe runs a program of its own, but the command starts {program_name}; leave it out: "
            f"hopscope probe -- {words[0]} -n 8"
        )
    mpi = MpiLibrary(collector_name.partition("-")[0]) if collector_name else find_mpi(words)
    library = library_beside(words[0], mpi.flavour)
    if collector_name and "-" in collector_name:
        collector = collector_name
    elif library is not None:
        collector = fitting_collector(MpiLibrary(mpi.flavour, library))
    else:
        collector = collector_library(mpi.flavour).stem.removeprefix("libhopscope-")
    program = collector_file(f"{_PROBE}{collector}")
    return [*words, str(program), *([] if library is None else [str(library)])]


def collector_of(words: Sequence[str]) -> str:
    """The collector whose probe a command starts, such as `openmpi-5`."""
    return next(Path(word).name.removeprefix(_PROBE) for word in words if Path(word).name.startswith(_PROBE))


def _is_mpi_program(word: str) -> bool:
    path = shutil.which(word)
    return path is not None and is_elf(Path(path)) and program_mpi(Path(path)) is not None


def library_beside(launcher: str, flavour: str) -> Path | None:
    """The MPI library in the folder that a launcher was installed into; None if the loader has to find it by name."""
    path = shutil.which(launcher)
    if path is None:
        return None
    for place in (Path(path).absolute(), Path(path).resolve()):
        for folder in _LIBRARY_FOLDERS:
            for file in sorted((place.parents[1] / folder).glob("libmpi*.so.*")):
                mpi = library_mpi(file.name, file)
                if mpi is not None and mpi.flavour == flavour and re.fullmatch(r"libmpi\w*\.so\.\d+", file.name):
                    return file
    return None
