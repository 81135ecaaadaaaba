"""Resolves each call site of a run to its source, as far as this machine can tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from hopscope.callsites.binaries import Binary, Frame, OtherBuildError

_OFFSET = re.compile(r"(?P<module>.+)\+0x(?P<offset>[0-9a-f]+)")


@dataclass(frozen=True)
class Place:
    """A row of the table `places`; see its schema."""

    call_site: str
    place: str
    how: str
    function: str | None = None
    file: str | None = None
    line: int | None = None
    inlined_in: str | None = None
    module: str | None = None


def resolve(
    call_sites: Mapping[str, str], modules: Sequence[Mapping[str, Any]] | None, started_ns: int | None
) -> list[Place]:
    """A place for every call site, in alphabetical order of call sites.

    call_sites: each with the symbol that the archive names for it, or "". modules: as in run.json; None if it has none.
    A module's file counts only if it has the build id of the run or, if neither has a build id, if it is older than the
    run's start (started_ns, ns since 1970).
    """
    catalogue = _Modules(modules, started_ns)
    unnamed = [_resolved(site, symbol, catalogue) for site, symbol in sorted(call_sites.items())]
    frames = [frame for _, site_frames in unnamed for frame in site_frames if frame.file]
    ambiguous = _ambiguous(frame.file for frame in frames if frame.file)
    return [_with_frames(place, site_frames, ambiguous) for place, site_frames in unnamed]


def _resolved(call_site: str, symbol: str, modules: _Modules) -> tuple[Place, list[Frame]]:
    split = _OFFSET.fullmatch(call_site)
    if split is None:  # a Python line with its function, or another tool's file and line
        whole = call_site.removesuffix(f" in {symbol}") if symbol else call_site
        file, _, number = whole.rpartition(":")
        file, line = (file, int(number)) if file and number.isdecimal() else (whole, None)
        place = Place(call_site, PurePath(call_site).name, "archive", symbol or None, file, line)
        return place, [Frame(symbol, file, line)] if symbol else []
    name, offset = split["module"], int(split["offset"], 16)
    module = modules.path_of(name) or name
    method, binary = modules.binary(name)
    frames = binary.frames(offset) if binary else []
    if frames:
        method = "line" if frames[0].file else "symbol"
    short = f"{PurePath(name).name}+0x{offset:x}"
    place = Place(call_site, f"{symbol} ({short})" if symbol else short, method, function=symbol or None, module=module)
    return place, frames


def _with_frames(place: Place, frames: Sequence[Frame], ambiguous: frozenset[str]) -> Place:
    """Add frames to a place. The innermost frame is first."""
    if not frames:
        return place
    first = frames[0]
    if first.file is None:
        name = f"{first.function}+0x{first.offset:x} ({PurePath(place.module or '').name})"
        return replace(place, place=name, function=first.function)
    texts = [_frame_text(frame, ambiguous) for frame in frames]
    return replace(
        place,
        place=texts[0] if len(texts) == 1 else f"{texts[0]} in {texts[-1]}",
        function=first.function,
        file=first.file,
        line=first.line,
        inlined_in=" in ".join(texts[1:]) or None,
    )


def _frame_text(frame: Frame, ambiguous: frozenset[str]) -> str:
    path = PurePath(frame.file or "")
    name = f"{path.parent.name}/{path.name}" if path.name in ambiguous else path.name
    return f"{frame.function} ({name}:{frame.line})" if frame.line else f"{frame.function} ({name})"


def _ambiguous(files: Iterable[str]) -> frozenset[str]:
    """Base names that several files have."""
    counts = Counter(PurePath(file).name for file in set(files))
    return frozenset(name for name, count in counts.items() if count > 1)


class _Modules:
    """The modules that call sites name; each file is opened once."""

    def __init__(self, modules: Sequence[Mapping[str, Any]] | None, started_ns: int | None) -> None:
        self._builds: dict[str, list[Mapping[str, Any]]] = {}
        for module in modules or ():
            self._builds.setdefault(str(module["name"]), []).append(module)
        self._started_ns = started_ns
        self._opened: dict[str, tuple[str, Binary | None]] = {}

    def path_of(self, name: str) -> str | None:
        """The path of the module's file; None if unknown."""
        return next((str(build["path"]) for build in self._builds.get(name, ()) if build["path"]), None)

    def binary(self, name: str) -> tuple[str, Binary | None]:
        """A word and the file of the build that ran. The word is `stripped`, for offsets without a symbol. If there is
        no such file, the word says why."""
        if name not in self._opened:
            self._opened[name] = self._open(name)
        return self._opened[name]

    def _open(self, name: str) -> tuple[str, Binary | None]:
        builds = self._builds.get(name, [])
        ids = {build["build_id"] for build in builds}
        if not ids:
            return "unidentified", None
        if len(ids) > 1:
            return "several builds", None
        for path in (Path(build["path"]) for build in builds if build["path"]):
            try:
                return "stripped", Binary(path, builds[0]["build_id"], self._started_ns)
            except OtherBuildError:
                return "another build", None
            except OSError:
                continue
        return "no file", None
