"""Findings on hopscope's own installation: the assembler, the Python packages, and what keeps a collector out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from hopscope.doctor.finding import Finding, State, finding_of
from hopscope.errors import InputError
from hopscope.launch.installed import collector_file
from hopscope.launch.mpi_library import loaded_libraries
from hopscope.launch.preload import loss_reason

_CONTAINERS: dict[str, State] = {"/.dockerenv": "ok", "/run/.containerenv": "ok", "/.singularity.d": "caution"}
"""Files that show a container. Launchers usually start those of Apptainer from outside."""


def package_findings() -> Iterator[Finding]:
    """The findings on files and packages that assemble, analyse and show traces."""
    try:
        files = [collector_file("hopscope-assemble")]
    except InputError as error:
        yield finding_of("installation", "problem", error)
    else:
        files += [Path(spec.origin) for spec in [find_spec("hopscope.native._convert")] if spec and spec.origin]
        missing = [(file, name) for file in files for name, path in loaded_libraries(file) if path is None]
        for file, name in missing:
            yield finding_of("installation", "problem", f"{file} needs {name}, which is missing; install it")
        if not missing:
            yield Finding("installation", "ok", "Traces can be assembled and analysed")
    absent = missing_extras("dashboard")
    if absent:
        message = f'The dashboard needs {", ".join(absent)}; pip install "hopscope[dashboard]"'
        yield finding_of("installation", "caution", message)
    else:
        yield Finding("installation", "ok", "The dashboard's packages are installed")


def missing_extras(extra: str) -> list[str]:
    """The packages of one of hopscope's extras that are not installed."""
    requirements = metadata.requires("hopscope") or []
    names = [re.split(r"[^\w.-]", text)[0] for text in requirements if re.search(rf"extra == ['\"]{extra}['\"]", text)]
    installed = {re.sub(r"[-_.]+", "-", package.name).lower() for package in metadata.distributions()}
    return [name for name in names if re.sub(r"[-_.]+", "-", name).lower() not in installed]


def permission_findings() -> Iterator[Finding]:
    """The findings on what keeps the collector out of programs, or stops it from recording."""
    if os.environ.get("HOPSCOPE_RECORD") == "0":
        yield finding_of("permissions", "problem", "HOPSCOPE_RECORD=0 turns recording off; unset HOPSCOPE_RECORD")
    if reason := loss_reason([sys.executable]):
        yield finding_of("permissions", "caution", reason)
    states: list[State] = [state for file, state in _CONTAINERS.items() if Path(file).exists()]
    if states:
        remedy = "if a launcher outside starts the ranks, put the words of `hopscope preload` before the program inside"
        yield Finding("permissions", states[-1], "This is a container", remedy)
    yield Finding("permissions", "ok", "The collector needs no root, ptrace or capability, only programs of your own")
