"""Keeps what a failed test leaves: build/failures/TEST/ has its report, its files, and the machine's load.

A test runs only once, so one failure must tell enough.
"""

import datetime
import os
import re
import shutil
from pathlib import Path

import local_mpi
import pytest

FOLDER = local_mpi.ROOT / "build" / "failures"
LARGEST = 64 << 20
"""The largest size in bytes of a folder that is kept from a test. Of a larger one only the list of files is kept."""


def keep(item: pytest.Item, report: pytest.TestReport) -> Path:
    """Writes the failure of a test. Returns its folder."""
    folder = FOLDER / re.sub(r"[^\w.-]+", "-", item.nodeid)[-150:]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    load = " ".join(f"{average:.1f}" for average in os.getloadavg())
    moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    head = [f"{item.nodeid} ({report.when})", f"at {moment}, load {load}, after {report.duration:.1f} s"]
    sections = [f"--- {name}\n{content}" for name, content in report.sections]
    (folder / "report.txt").write_text("\n".join([*head, report.longreprtext, *sections]) + "\n")
    for name, value in getattr(item, "funcargs", {}).items():
        place = getattr(value, "trace", getattr(value, "path", value))
        if isinstance(place, Path) and place.is_dir():
            _copy(place, folder / name)
    return folder


def _copy(place: Path, target: Path) -> None:
    """Copies a folder. If it is too large, writes only the list of its files."""
    files = [path for path in place.rglob("*") if path.is_file() and not path.is_symlink()]
    if sum(path.stat().st_size for path in files) > LARGEST:
        target.with_suffix(".list").write_text("".join(f"{path.stat().st_size} {path}\n" for path in files))
        return
    for path in files:
        copy = target / path.relative_to(place)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
