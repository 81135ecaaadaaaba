"""Looks up offsets in the debug information and symbols of programs and libraries on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscope.callsites.functions import readable

if TYPE_CHECKING:
    from symbolic.symcache import SymCache

_DEBUG_FILES = Path("/usr/lib/debug/.build-id")
"""The folder in which distributions install debug information, separate from the program: `6b/21ddf839....debug`."""


@dataclass(frozen=True)
class Frame:
    """A function, and the file and line of the call in its source. Without debug information, the offset into the
    function."""

    function: str
    file: str | None
    line: int | None
    offset: int | None = None


class OtherBuildError(Exception):
    """The file is there, but it is not the build that ran."""


class Binary:
    """One program or library, which maps offsets to functions and lines.

    Offsets count from the lowest loaded segment, where the loader maps the file, as in `dladdr`. In a
    position-dependent program, an offset is the address less that segment's address.
    """

    def __init__(self, path: Path, build_id: str | None, started_ns: int | None) -> None:
        """Without a build id to compare, the file must be older than the run (ns since 1970). Raises OtherBuildError if
        it is another build, OSError if it cannot be read or is no program."""
        changed_ns = path.stat().st_mtime_ns
        if build_id is None and (started_ns is None or changed_ns > started_ns):
            raise OtherBuildError(path)
        program = _object(path)
        if program.code_id != build_id:
            raise OtherBuildError(path)
        self._symbols = _symbols(_with_debug_information(program, build_id))

    def frames(self, offset: int) -> list[Frame]:
        """The function at this offset; if the compiler inlined it, also the functions around it. Empty if neither debug
        information nor a symbol covers the offset."""
        symbols: list[Any] = self._symbols.lookup(offset)
        return [
            Frame(
                readable(frame.symbol, frame.full_path, frame.lang),
                frame.full_path,
                frame.line or None,
                None if frame.full_path else offset - frame.sym_addr,
            )
            for frame in symbols
        ]


def _object(path: Path) -> Any:
    from symbolic.debuginfo import Archive  # imported here, because few conversions look up a program
    from symbolic.exceptions import SymbolicError

    try:
        return next(Archive.open(str(path)).iter_objects())
    except (SymbolicError, StopIteration) as problem:
        raise OSError(f"{path}: {problem}") from None


def _with_debug_information(program: Any, build_id: str | None) -> Any:
    debug_file = _DEBUG_FILES / (build_id or "?")[:2] / f"{(build_id or '?')[2:]}.debug"
    if "debug" in program.features or not debug_file.is_file():
        return program
    try:
        debug_info = _object(debug_file)
    except OSError:
        return program
    return debug_info if debug_info.code_id == build_id else program


def _symbols(program: Any) -> SymCache:
    from symbolic.exceptions import SymbolicError

    try:
        return program.make_symcache()
    except SymbolicError as problem:
        raise OSError(str(problem)) from None
