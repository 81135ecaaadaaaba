"""Searches a run for a word: finds collectives and calls of MPI by their operation or call site, and regions by their
name.

There are few names, so a word is first turned into the names that contain it, and the hits are queried by name. A
collective is one hit, whatever its number of ranks. A query gives one hit, never a list.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import pyarrow as pa

COUNT_LIMIT: Final = 16
"""The number of searched words of which the number of hits is remembered."""

_SITES: Final = (
    "select call_site, coalesce(place, call_site) as place from "
    "(select call_site from calls union select call_site from intervals) as seen "
    "left join places using (call_site) where call_site is not null order by call_site"
)

_NAMES: Final = (
    "select op as name from collectives union select region as name from intervals "
    "where kind not in ('overhead', 'off', 'idle', 'join', 'tool') order by name"
)

_HITS: Final = (
    "with hits as ("
    "select first_enter_ns as begin_ns, coalesce(last_leave_ns, last_enter_ns) as end_ns, 0 as source, "
    "collective_id as id, null as rank, op as name, comm, seq from collectives "
    "where list_contains($names, op) or collective_id in "
    "(select collective_id from calls where list_contains($sites, call_site)) union all "
    "select begin_ns, coalesce(end_ns, begin_ns) as end_ns, 1 as source, interval_id as id, rank, region as name, "
    "null as comm, null as seq from intervals where kind not in ('overhead', 'off', 'idle', 'join', 'tool') "
    "and (list_contains($names, region) or list_contains($sites, call_site))) "
)
"""The hits of a search as the table `hits`. Queries order them by begin, then by source and id."""

_LATER_HITS: Final = (
    "(begin_ns > $begin_ns or (begin_ns = $begin_ns and (source > $source or (source = $source and id > $id))))"
)
_EARLIER_HITS: Final = (
    "(begin_ns < $begin_ns or (begin_ns = $begin_ns and (source < $source or (source = $source and id < $id))))"
)
_FIRST_HIT: Final = "order by begin_ns, source, id limit 1"
_LAST_HIT: Final = "order by begin_ns desc, source desc, id desc limit 1"

Key = tuple[int, int, int]
"""The begin of a hit, its source (0: collectives, 1: intervals) and its id in this table."""

START: Final[Key] = (0, -1, -1)
"""A key before every hit."""


class Asker(Protocol):
    """Runs SQL."""

    def query(self, sql: str, parameters: Mapping[str, Any]) -> pa.Table:
        """The result of one query."""
        ...


@dataclass(frozen=True)
class Hit:
    """One hit, and its position among all hits."""

    key: Key
    number: int
    """The position of the hit among all hits, from 1."""
    hits: int
    """The number of all hits."""
    name: str
    begin_ns: int
    end_ns: int
    rank: int | None
    """The rank; None for a collective, which has several ranks."""
    comm: int | None
    seq: int | None


class Search:
    """The search of one trace."""

    def __init__(self, asker: Asker) -> None:
        """asker: runs the queries, of which none runs yet."""
        self._asker = asker
        self._counts: dict[str, int] = {}

    @cached_property
    def names(self) -> list[str]:
        """Every operation and region of the run."""
        return self._asker.query(_NAMES, {})["name"].to_pylist()

    @cached_property
    def sites(self) -> dict[str, str]:
        """Every call site with its place in the source."""
        rows = self._asker.query(_SITES, {})
        return dict(zip(rows["call_site"].to_pylist(), rows["place"].to_pylist(), strict=True))

    def find(self, text: str, start: Key = START, *, ascending: bool = True) -> Hit | None:
        """The next hit after `start` or, unless `ascending`, the hit before it. After the last hit the search continues
        with the first. None without hits.

        A hit contains the text, in upper or lower case. A key with source -1 is before all hits that begin at its time.
        """
        criteria = self._criteria(text)
        if not criteria["names"] and not criteria["sites"]:
            return None
        place = dict(zip(("begin_ns", "source", "id"), start, strict=True))
        order = _FIRST_HIT if ascending else _LAST_HIT
        query = f"{_HITS} from hits where {_LATER_HITS if ascending else _EARLIER_HITS} {order}"
        rows = self._asker.query(query, {**criteria, **place}).to_pylist()
        rows = rows or self._asker.query(f"{_HITS} from hits {order}", criteria).to_pylist()
        if not rows:
            return None
        row = rows[0]
        key = (row["begin_ns"], row["source"], row["id"])
        place = dict(zip(("begin_ns", "source", "id"), key, strict=True))
        earlier_hits = self._count(f"from hits where {_EARLIER_HITS}", {**criteria, **place})
        hit = {name: row[name] for name in ("name", "begin_ns", "end_ns", "rank", "comm", "seq")}
        return Hit(key, earlier_hits + 1, self._number_of_hits(text, criteria), **hit)

    def _criteria(self, text: str) -> dict[str, list[str]]:
        word = text.strip().casefold()
        return {
            "names": [name for name in self.names if word and word in name.casefold()],
            "sites": [site for site, place in self.sites.items() if word and word in place.casefold()],
        }

    def _number_of_hits(self, text: str, criteria: Mapping[str, Any]) -> int:
        if text not in self._counts:
            count = self._count("from hits", criteria)
            while len(self._counts) >= COUNT_LIMIT:
                self._counts.pop(next(iter(self._counts)), None)
            self._counts[text] = count
        return self._counts[text]

    def _count(self, sql: str, parameters: Mapping[str, Any]) -> int:
        return self._asker.query(f"{_HITS} select count(*) as hits {sql}", parameters)["hits"][0].as_py()
