"""Reads the text around a line of source, if its file is on this machine."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hopscope.callsites.functions import FORTRAN_FILES

_C = (".c", ".cc", ".cpp", ".cxx", ".c++", ".cu", ".h", ".hh", ".hpp", ".hxx")
_SOURCES = (*_C, *FORTRAN_FILES, ".py", ".pyx")
"""The suffixes of files that may be shown. Others are refused, because a dataset from elsewhere could name any file."""

_LARGEST = 4 << 20
"""The largest file that is shown, in bytes. Source files are smaller."""


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a file, by their numbers."""

    file: str
    line: int
    lines: Mapping[int, str]
    is_newer: bool
    """True if the file was changed after the run began, or if the begin of the run is unknown. Then the line may have
    moved since the run."""


def excerpt(file: str, line: int, run: Mapping[str, Any], context: int = 3) -> Excerpt | None:
    """The lines around a line of a file. None if the file is missing, too large, not a source file, or too short to
    have the line. run: the row of the table `run`."""
    path = Path(file)
    if path.suffix.lower() not in _SOURCES:
        return None
    try:
        status = path.stat()
        if not path.is_file() or status.st_size > _LARGEST:
            return None
        text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    if not 1 <= line <= len(text):
        return None
    numbers = range(max(1, line - context), min(len(text), line + context) + 1)
    started = run.get("started_at")
    is_newer = started is None or status.st_mtime > datetime.fromisoformat(started).timestamp()
    return Excerpt(file, line, {number: text[number - 1] for number in numbers}, is_newer)
