"""Asks an MPI library for its algorithms, and for extra settings that operations need: Open MPI by `ompi_info`, MPICH
by `mpivars`, Intel MPI by `impi_info`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from hopscope.errors import InputError

_SECONDS = 60
_OPEN_MPI = re.compile(r"mca:coll:tuned:param:coll_tuned_(\w+)_algorithm:enumerator:value:(\d+):(\S+)")
_MPICH = re.compile(r"\s*(MPIR_CVAR_([A-Z_]+)_INTRA_ALGORITHM)\s*=.*?Variable to select \w+ algorithm(.*)", re.DOTALL)
_FIRST = re.compile(r"\s*auto - Internal algorithm selection(?: \([^)]*\))?")
_PASSES_ON = re.compile(
    r"^mca:coll:han:param:(coll_han_(\w+)_dynamic_global_communicator_module):help:.*\b(\d+) = tuned\b", re.MULTILINE
)
_PRIORITY = re.compile(r"^mca:coll:\w+:param:coll_(\w+)_priority:value:(\d+)$", re.MULTILINE)
_HAN = re.compile(r"^mca:coll:han:param:(coll_han_use_(\w+)_algorithm):enumerator:value:(\d+):(\S+)$", re.MULTILINE)
_OF_DEVICE = re.compile(r"^\s*(MPIR_CVAR_([A-Z_]+)_DEVICE_COLLECTIVE)\s*=", re.MULTILINE)
_INTEL = re.compile(r"^(I_MPI_ADJUST_([A-Z_]+))\b.*?\brange: 0-(\d+)", re.DOTALL)
_RELEASE = re.compile(
    r"(?:Open MPI\)? v?|OpenRTE\) |[Vv]ersion:\s*|Intel\(R\) MPI Library (?:for Linux\* OS, Version )?)"
    r"(\d+(?:\.\d+)+\w*)"
)
_WORDS = {
    "openmpi": ("ompi_info", "--param", "coll", "all", "--level", "9", "--parsable"),
    "mpich": ("mpivars",),
    "intelmpi": ("impi_info", "-c", "COLLECTIVE"),
}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "intelmpi": "Intel MPI"}
PRESET = "preset "
"""The beginning of the name of Intel MPI's algorithms, which have numbers only."""


def operation_name(op: str) -> str:
    """The libraries' name of an operation: `reduce_scatter` for MPI_Reduce_scatter."""
    return op.removeprefix("MPI_").lower()


class Offered(NamedTuple):
    """An algorithm that a library has. number: its number in Open MPI's rules; None for the other libraries."""

    operation: str
    """The operation in lower case and without MPI_: `reduce_scatter`."""
    name: str
    """The library's own name of the algorithm."""
    number: int | None
    setting: str
    """The parameter or variable that forces the algorithm for all communicators and sizes."""

    @property
    def value(self) -> str:
        """The value of MPICH's or Intel MPI's variable that forces the algorithm."""
        return self.name.removeprefix(PRESET)


class Library(NamedTuple):
    """An installed MPI library and its algorithms."""

    flavour: str
    release: str
    """The release, such as `5.0.11`."""
    launcher: str
    algorithms: Sequence[Offered]
    extra_settings: Mapping[str, tuple[str, str]]
    """For each operation, a parameter or variable and its value, without which another part of the library (Open MPI's
    `han`, MPICH's device) would run the operation by its own algorithms."""
    in_groups: Sequence[Offered] = ()
    """Forms of Open MPI's `han`, which calls other algorithms inside hosts and between them."""

    @property
    def name(self) -> str:
        """The library with its release, such as `Open MPI 5.0.11`."""
        return f"{NAMES[self.flavour]} {self.release}"

    def besides(self, operation: str) -> tuple[tuple[str, str], ...]:
        """The extra setting of an operation, if it has one."""
        return (self.extra_settings[operation],) if operation in self.extra_settings else ()


def release_of(text: str | None) -> str | None:
    """The release in the version text of a library or its launcher: `5.0.11`; None if there is none."""
    release = _RELEASE.search(text or "")
    return release[1] if release else None


def query_library(flavour: str, launcher: str, release: str) -> Library:
    """The library to which a launcher belongs. flavour: one of NAMES.

    Runs the library's program (`ompi_info`, `mpivars` or `impi_info`) in the launcher's directory. Raises InputError if
    the program is missing, fails, or names no algorithms.
    """
    words = _WORDS[flavour]
    path = shutil.which(launcher)
    program = None if path is None else shutil.which(words[0], path=str(Path(path).parent))
    if program is None:
        raise InputError(
            f"{words[0]} is not beside {launcher}, so the MPI library cannot be asked for its algorithms; give the "
            "launcher of a complete installation with --launcher"
        )
    done = _asked(program, *words[1:])
    if flavour == "openmpi":
        rows, extra_settings = of_open_mpi(done.stdout), extra_settings_in_open_mpi(done.stdout)
    elif flavour == "mpich":
        rows, extra_settings = of_mpich(done.stdout), extra_settings_in_mpich(done.stdout)
    else:
        variables = re.findall(r"^I_MPI_ADJUST_[A-Z_]+", done.stdout, re.MULTILINE)
        rows, extra_settings = of_intel_mpi([_asked(program, "-v", name).stdout for name in variables]), {}
    if not rows:
        raise InputError(f"{program} names no algorithms: {done.stderr.strip() or 'it said nothing on stderr'}")
    return Library(flavour, release, launcher, rows, extra_settings, of_han(done.stdout))


def _asked(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The answer of a library's program. Intel's finds the library only along LD_LIBRARY_PATH."""
    folders = [str(Path(program).parents[1] / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    environment = {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(filter(None, folders))}
    try:
        return subprocess.run(
            [program, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            errors="replace",
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise InputError(f"{program} cannot be asked for the algorithms: {problem}") from None


def extra_settings_in_open_mpi(text: str) -> dict[str, tuple[str, str]]:
    """For each operation, the setting that makes `han` pass it on to `tuned`; empty if `tuned` has at least the same
    priority as `han`. text: the output of `ompi_info --param coll all --level 9 --parsable`."""
    priorities = {component: int(value) for component, value in _PRIORITY.findall(text)}
    if priorities.get("han", -1) <= priorities.get("tuned", -1):
        return {}
    return {operation: (setting, value) for setting, operation, value in _PASSES_ON.findall(text)}


def of_han(text: str) -> list[Offered]:
    """The forms (variants) of `han`, from the output of `ompi_info`. The default (0) is left out, because it equals one
    of the others."""
    rows = [
        Offered(operation, f"han {name}", int(number), setting)
        for setting, operation, number, name in _HAN.findall(text)
    ]
    return [row for row in rows if row.number != 0]


def extra_settings_in_mpich(text: str) -> dict[str, tuple[str, str]]:
    """For each operation, the setting that keeps MPICH's device from running it by its own algorithms. text: the output
    of `mpivars`."""
    return {operation.lower(): (setting, "0") for setting, operation in _OF_DEVICE.findall(text)}


def of_open_mpi(text: str) -> list[Offered]:
    """The algorithms in the output of `ompi_info --param coll all --level 9 --parsable`, without `ignore` (0)."""
    matches = [match for line in text.splitlines() if (match := _OPEN_MPI.fullmatch(line))]
    rows = [Offered(op, name, int(number), f"coll_tuned_{op}_algorithm") for op, number, name in map(_groups, matches)]
    return [row for row in rows if row.number != 0]


def of_mpich(text: str) -> list[Offered]:
    """The algorithms of blocking operations in the output of `mpivars`, without `auto` (MPICH chooses) and `nb` (calls
    the nonblocking operation)."""
    rows: list[Offered] = []
    for part in re.split(r"\n(?=\s*MPIR_CVAR_)", text):
        match = _MPICH.match(part)
        if match is None:
            continue
        setting, operation, meaning = match.groups()
        names = [name for name in _names(meaning) if name not in ("auto", "nb")]
        rows += [Offered(operation.lower(), name, None, setting) for name in names]
    return _blocking(rows)


def of_intel_mpi(texts: Sequence[str]) -> list[Offered]:
    """The algorithms of blocking operations in the answers of `impi_info -v I_MPI_ADJUST_...`, without 0 (Intel MPI
    chooses)."""
    matches = [match for text in texts if (match := _INTEL.match(text))]
    return _blocking(
        [
            Offered(operation.lower(), f"{PRESET}{number}", None, setting)
            for setting, operation, last in map(_groups, matches)
            for number in range(1, int(last) + 1)
        ]
    )


def _blocking(rows: Sequence[Offered]) -> list[Offered]:
    """The rows of operations that also have a nonblocking form."""
    operations = {row.operation for row in rows}
    return [row for row in rows if f"i{row.operation}" in operations]


def _groups(match: re.Match[str]) -> Sequence[str]:
    return match.groups()


def _names(meaning: str) -> Iterator[str]:
    """The names of algorithms in the description of a variable. Each one is written as `name - Force ...`, on its own
    line or, in release 4, all on one line."""
    first = _FIRST.match(meaning)
    rest = meaning[first.end() :] if first else meaning
    if "\n" in rest.strip():
        yield from re.findall(r"^\s*(\w+)\s+- ", rest, re.MULTILINE)
        return
    # On one line, names are padded to the same width, so each begins this width before its dash.
    dashes = [match.start() for match in re.finditer(r" - Force", rest)]
    for dash in dashes:
        yield rest[dash - dashes[0] : dash].strip()
