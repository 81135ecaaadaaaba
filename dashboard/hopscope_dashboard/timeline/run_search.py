"""Searches the timeline: gives one hit at a time, with its text and its number among all hits."""

from typing import Any

from hopscope.format import quantities

from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation.address import Query, number


def next_hit(data: TraceData, query: Query) -> dict[str, Any]:
    """Give the next hit of `text` from the time `at` on, or after the hit `after`; with `back=1`, the previous hit.

    The answer has `hits` (the number of hits) and `said` (a text for the user). If there is a hit, the answer also has
    `what` (the hit's name and duration), `begin` and `end` (ns), `rank` (null for a collective) and `key` (the value of
    `after` for the next request).
    """
    text = query.get("text", "")[:200]
    hit = data.timeline.search.find(text, _key(query), ascending=not query.get("back"))
    if hit is None:
        return {"said": "No hits", "hits": 0}
    name = hit.name if hit.comm is None else f"{hit.name} {hit.comm}:{hit.seq}"
    rank_suffix = "" if hit.rank is None else f", rank {hit.rank}"
    return {
        "said": f"{quantities.number(hit.number)} of {quantities.number(hit.hits)}",
        "what": f"{name}{rank_suffix}, {quantities.duration(hit.end_ns - hit.begin_ns)}",
        "hits": hit.hits,
        "begin": hit.begin_ns,
        "end": hit.end_ns,
        "rank": hit.rank,
        "key": ".".join(map(str, hit.key)),
    }


def _key(query: Query) -> tuple[int, int, int]:
    words = query.get("after", "").split(".")
    if len(words) == 3 and all(word.isascii() and word.isdigit() and len(word) < 19 for word in words):
        return int(words[0]), int(words[1]), int(words[2])
    return number(query, "at") or 0, -1, -1
