"""Finds the source line and function of each call site of a run, as far as this machine has the files for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, TypeVar

from hopscope.callsites.binaries import Binary, Frame, OtherBuildError

_T = TypeVar("_T")
_CALLER = re.compile(r" from (?P<function>\S+) \((?P<file>.+?):(?P<line>-?\d+)\)(?= from |$)")
_ADDRESS = re.compile(r"(?P<address>(?P<module>.+?)\+0x(?P<offset>[0-9a-f]+))(?: from |$)")


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

    call_sites: the symbol of each call site in the archive, or "". modules: as in run.json; None if it has none.
    A module's file counts only if it has the build id of the run or, if neither has a build id, if it is older than the
    run's start (started_ns, ns since 1970).
    """
    catalogue = _Modules(modules, started_ns)
    chains = {site: _links(site, symbol, catalogue) for site, symbol in sorted(call_sites.items())}
    links = [link for chain in chains.values() for link in chain]
    ambiguous = _ambiguous(frame.file for link in links for frame in link.frames if frame.file)
    chains = _told_apart(chains, ambiguous)
    inlined = _Inlined(link.texts(ambiguous) for chain in chains.values() for link in chain[:1])
    return [_joined(site, chain, ambiguous, inlined) for site, chain in chains.items()]


@dataclass(frozen=True)
class _Link:
    """One address of a call site: its place, and the functions that contain it, the innermost first. Functions without
    a source file are left out."""

    place: Place
    frames: Sequence[Frame]

    def texts(self, ambiguous: frozenset[str]) -> list[str]:
        return [_frame_text(frame, ambiguous) for frame in self.frames] or [self.place.place]


def _links(call_site: str, symbol: str, catalogue: _Modules) -> list[_Link]:
    """The chain of a call site: a link for its own address, then one for each caller that the trace recorded."""
    addresses = [match.groupdict() for match in _ADDRESS.finditer(call_site)]
    if " from ".join(address["address"] for address in addresses) == call_site:
        symbols = [symbol, *[""] * len(addresses)]
        return [
            _address_link(call_site, address, symbol, catalogue)
            for address, symbol in zip(addresses, symbols, strict=False)
        ]
    # The call site is no address: a Python line with its function, or a file and line from another tool.
    whole = call_site.removesuffix(f" in {symbol}") if symbol else call_site
    file, _, number = whole.rpartition(":")
    file, line = (file, int(number)) if file and number.isdecimal() else (whole, None)
    callers = [(match["function"], match["file"], int(match["line"])) for match in _CALLER.finditer(symbol)]
    function = symbol[: symbol.index(" from ")] if callers else symbol
    first = Place(call_site, PurePath(call_site).name, "archive", function or None, file, line)
    links = [_Link(first, [Frame(function, file, line)] if function else [])]
    for caller, caller_file, caller_line in callers:
        frame = Frame(caller, caller_file, caller_line if caller_line > 0 else None)
        links.append(_Link(replace(first, function=caller, file=caller_file, line=frame.line), [frame]))
    return links


def _address_link(call_site: str, address: Mapping[str, str], symbol: str, catalogue: _Modules) -> _Link:
    name, offset = address["module"], int(address["offset"], 16)
    module = catalogue.path_of(name) or name
    method, binary = catalogue.binary(name)
    frames = binary.frames(offset) if binary else []
    short = f"{PurePath(name).name}+0x{offset:x}"
    place = Place(call_site, f"{symbol} ({short})" if symbol else short, method, function=symbol or None, module=module)
    if not frames:
        return _Link(place, [])
    first = frames[0]
    if first.file is None:
        text = f"{first.function}+0x{first.offset:x} ({PurePath(module).name})"
        return _Link(replace(place, place=text, how="symbol", function=first.function), [])
    return _Link(replace(place, how="line"), frames)


def _told_apart(chains: Mapping[str, Sequence[_Link]], ambiguous: frozenset[str]) -> dict[str, Sequence[_Link]]:
    """The chains, each cut after the last caller that tells it from a chain with the same beginning. Callers that the
    source does not tell apart, such as the calls of an unrolled loop, are dropped."""
    texts = {site: [tuple(link.texts(ambiguous)) for link in chain] for site, chain in chains.items()}
    callers = _callers([*chain, ()] for chain in texts.values())  # the end of a chain also tells it apart

    def length(chain: Sequence[tuple[str, ...]]) -> int:
        telling = (count for count in range(len(chain) - 1, 0, -1) if len(callers[tuple(chain[:count])]) > 1)
        return next(telling, 0) + 1

    return {site: chain[: length(texts[site])] for site, chain in chains.items()}


def _callers(chains: Iterable[Sequence[_T]]) -> dict[tuple[_T, ...], set[_T]]:
    """The elements that follow each beginning of a chain, by that beginning."""
    callers: dict[tuple[_T, ...], set[_T]] = {}
    for chain in chains:
        for count in range(1, len(chain)):
            callers.setdefault(tuple(chain[:count]), set()).add(chain[count])
    return callers


class _Inlined:
    """Finds functions that the compiler inlined in several places, such as the program's own wrappers of MPI."""

    def __init__(self, chains: Iterable[Sequence[str]]) -> None:
        """chains: the texts of each call site's functions, the innermost first."""
        self._callers = _callers(chains)

    def text(self, texts: Sequence[str]) -> str:
        """Names a call site by its functions, from the innermost to the first that tells it from other call sites."""
        for count in range(1, len(texts)):
            if len(self._callers[tuple(texts[:count])]) > 1:
                return " via ".join(reversed(texts[: count + 1]))
        return texts[0] if len(texts) == 1 else f"{texts[0]} in {texts[-1]}"


def _joined(call_site: str, chain: Sequence[_Link], ambiguous: frozenset[str], inlined: _Inlined) -> Place:
    """The place of a call site: the place of its outermost link. Its text also names the inner links, which are
    wrappers."""
    *wrappers, last = chain
    texts = last.texts(ambiguous)
    inner = [text for link in wrappers for text in link.texts(ambiguous)]
    text = " via ".join([texts[0], *reversed(inner)]) if wrappers else inlined.text(texts)
    place = replace(last.place, call_site=call_site, place=text)
    if not last.frames:
        return place
    first = last.frames[0]
    return replace(
        place,
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
    """The file names that several files in different folders have."""
    counts = Counter(PurePath(file).name for file in set(files))
    return frozenset(name for name, count in counts.items() if count > 1)


class _Modules:
    """The programs and libraries that call sites name. Each file is opened only once."""

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
        """The value of `Place.how` for offsets without a symbol, and the file of the build that ran. The value is
        `stripped`; if there is no such file, the value says why."""
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
