"""Turns call sites into call paths: each call of MPI gets the functions that another tool recorded around it.

`pair+0x22a00` becomes `pair+0x22a00 <- exchange <- step <- main`. So calls of one site with different paths are apart,
which matters because another tool's wrapper is one site for the whole program. The addition can be taken off again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.beside.clock import Ints
from hopscope.dataset.beside.threads import ThreadMatch
from hopscope.dataset.call_tree import NO_PATH, CallTree
from hopscope.dataset.path_columns import pair_places

MARK: Final = "<- "
_ADDITION: Final = " ?<- .*$"


def plain_sites(call_sites: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    """Call sites without their paths."""
    texts = pc.replace_substring_regex(call_sites.cast(pa.string()), pattern=_ADDITION, replacement="")
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


class CallPaths:
    """The call paths of the calls that both traces recorded."""

    def __init__(self, matches: Sequence[ThreadMatch], tree: CallTree) -> None:
        """matches: at least one. tree: of the foreign regions. Calls are looked up in the foreign clock, which has no
        error there."""
        self._tree = tree
        self._codes: dict[str | None, int] = {}
        columns = zip(*(self._rows_of(match) for match in matches), strict=True)
        location, rank, enter, leave, site, path = (np.concatenate(parts) for parts in columns)
        order = np.lexsort((enter, location))
        self._location, self._enter, self._path = location[order], enter[order], path[order]
        order = np.lexsort((enter, site, rank))
        self._rank, self._site, self._rank_path = rank[order], site[order], path[order]
        self._rank_enter, self._rank_leave = enter[order], leave[order]

    def _rows_of(self, match: ThreadMatch) -> tuple[Ints, ...]:
        """location, rank, enter_ns, leave_ns, site and path of the matched calls of a thread."""
        middle = match.foreign.calls.middle_ns[match.foreign_rows]
        path = self._tree.path_at(np.full(len(middle), match.foreign.location), middle)
        site = self._coded(plain_sites(match.thread.call_site.take(pa.array(match.rows))))
        location, rank = (np.full(len(path), number) for number in (match.thread.location, match.thread.rank))
        calls = match.thread.calls.take(match.rows)
        return location, rank, calls.enter_ns, calls.leave_ns, site, path

    def _coded(self, call_sites: pa.ChunkedArray | pa.Array) -> Ints:
        """A number for each call site, the same in all columns."""
        texts = call_sites.combine_chunks() if isinstance(call_sites, pa.ChunkedArray) else call_sites
        encoded = texts.dictionary_encode(null_encoding="encode")
        codes = [self._codes.setdefault(text, len(self._codes)) for text in encoded.dictionary.to_pylist()]
        return np.asarray(codes, np.int64)[encoded.indices.to_numpy()] if len(encoded) else np.zeros(0, np.int64)

    def of_calls(self, call_sites: pa.ChunkedArray | pa.Array, location: Ints, enter_ns: Ints) -> pa.Array:
        """The call sites of calls with their paths. location, enter_ns: of each call."""
        place = pair_places(self._location, self._enter, (location, enter_ns), "left")
        row = np.minimum(place, len(self._path) - 1)
        is_same = (self._location[row] == location) & (self._enter[row] == enter_ns)
        return self._extended(plain_sites(call_sites), np.where(is_same, self._path[row], NO_PATH))

    def of_stretches(self, call_sites: pa.ChunkedArray | pa.Array, rank: Ints, end_ns: Ints) -> pa.Array:
        """The call sites of stretches of a critical path with their paths. A stretch ends within a call of its site or,
        if it is computing, where the call begins. rank, end_ns: of each stretch."""
        sites = plain_sites(call_sites)
        site = self._coded(sites)
        span = 1 + len(self._codes)
        keys, needles = self._rank * span + self._site, rank * span + site
        place = pair_places(keys, self._rank_enter, (needles, np.maximum(end_ns, 0)), "right")
        before, after = np.maximum(place - 1, 0), np.minimum(place, len(keys) - 1)
        is_before, is_after = (place > 0) & (keys[before] == needles), (place < len(keys)) & (keys[after] == needles)
        # Another tool's own calls may lie between the computing and the call.
        is_within = is_before & ((self._rank_leave[before] >= end_ns) | ~is_after)
        path = np.where(is_within, self._rank_path[before], self._rank_path[after])
        return self._extended(sites, np.where(is_before | is_after, path, NO_PATH))

    def _extended(self, sites: pa.ChunkedArray | pa.Array, path: Ints) -> pa.Array:
        site = self._coded(sites)
        texts = list(self._codes)
        span = 2 + int(path.max(initial=NO_PATH))
        couples, row = np.unique(site * span + path + 1, return_inverse=True)
        names = [self._text(texts[couple // span], couple % span - 1) for couple in couples.tolist()]
        return pa.array(names, pa.string()).take(pa.array(row)) if names else pa.array([], pa.string())

    def _text(self, site: str | None, path: int) -> str | None:
        if path == NO_PATH:
            return site
        return " ".join(filter(None, (site, *(MARK + name for name in reversed(self._tree.functions(path))))))

    def places(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Rows of the table `places` for all call sites with paths. rows: those of the call sites without."""
        place_of = {row["call_site"]: row for row in rows}
        texts = list(self._codes)
        has_path = self._rank_path != NO_PATH
        couples = np.unique(np.stack([self._site[has_path], self._rank_path[has_path]]), axis=1)
        return [self._place(place_of.get(texts[site], {}), texts[site], path) for site, path in couples.T.tolist()]

    def _place(self, plain: Mapping[str, Any], site: str | None, path: int) -> dict[str, Any]:
        names = self._tree.functions(path)
        if plain.get("file"):
            # The innermost function is in the place, unless the other tool did not instrument it.
            outer = names[:-1] if names[-1] == plain["function"] else names
            row = {**plain, "place": " > ".join((*outer, plain["place"]))}
        else:
            row = {
                **dict.fromkeys(("file", "line", "inlined_in", "module")),
                "how": "archive",
                "place": " > ".join(names),
                "function": names[-1],
            }
        return {**row, "call_site": self._text(site, path)}
