"""Asks an MPI library for its algorithms, and for extra settings that operations need: Open MPI by `ompi_info`, MPICH
by `mpivars`."""

from __future__ import annotations

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
_RELEASE = re.compile(r"(?:Open MPI\)? v?|OpenRTE\) |[Vv]ersion:\s*)(\d+(?:\.\d+)+\w*)")
_WORDS = {
    "openmpi": ("ompi_info", "--param", "coll", "all", "--level", "9", "--parsable"),
    "mpich": ("mpivars",),
}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def operation_name(op: str) -> str:
    """The libraries' name of an operation: `reduce_scatter` for MPI_Reduce_scatter."""
    return op.removeprefix("MPI_").lower()


class Offered(NamedTuple):
    """An algorithm that a library has. number: its number in Open MPI's rules; None if the library has no numbers."""

    operation: str
    """The operation in lower case and without MPI_: `reduce_scatter`."""
    name: str
    """The library's own name of the algorithm."""
    number: int | None
    setting: str
    """The parameter or variable that forces the algorithm for all communicators and sizes."""


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
    """The library to which a launcher belongs. flavour: `openmpi` or `mpich`.

    Runs the library's program (`ompi_info` or `mpivars`) in the launcher's directory. Raises InputError if the program
    is missing, fails, or names no algorithms.
    """
    words = _WORDS[flavour]
    path = shutil.which(launcher)
    program = None if path is None else shutil.which(words[0], path=str(Path(path).parent))
    if program is None:
        raise InputError(
            f"{words[0]} is not beside {launcher}, so the MPI library cannot be asked for its algorithms; give the "
            "launcher of a complete installation with --launcher"
        )
    try:
        done = subprocess.run(
            [program, *words[1:]], capture_output=True, text=True, check=False, timeout=_SECONDS, errors="replace"
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise InputError(f"{program} cannot be asked for the algorithms: {problem}") from None
    rows = (of_open_mpi if flavour == "openmpi" else of_mpich)(done.stdout)
    if not rows:
        raise InputError(f"{program} names no algorithms: {done.stderr.strip() or 'it said nothing on stderr'}")
    extra_settings = (extra_settings_in_open_mpi if flavour == "openmpi" else extra_settings_in_mpich)(done.stdout)
    return Library(flavour, release, launcher, rows, extra_settings, of_han(done.stdout))


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
    blocking = {row.operation for row in rows if f"i{row.operation}" in {nonblocking.operation for nonblocking in rows}}
    return [row for row in rows if row.operation in blocking]


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
