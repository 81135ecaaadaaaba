"""`analyze algorithms`: which algorithm each collective ran by, recognised from its messages, and by name where the
collector captured it.

candidates.py lists what is known for each operation, recognition.py compares it with what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import pyarrow as pa

from hopscope.algorithms.asked import UNDECIDED, Settings, obeyed
from hopscope.algorithms.captured import decide
from hopscope.algorithms.hierarchical import hierarchy
from hopscope.algorithms.observed import Observed, Seen
from hopscope.algorithms.recognition import UNRECOGNISED, Recognised, matched, recognise
from hopscope.header import Scalar

Row = dict[str, Any]

_KEY: Final = ("op", "comm", "bytes", "algorithm", "segment_bytes", "captured", "source")
_WORST: Final = ("no", UNDECIDED, "yes", None)
_LARGEST: Final = ("depth", "messages", "message_bytes", "wan_messages", "crossings")


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[Row]:
    """One row per operation, communicator, payload and algorithm; `rows` are examples, kind by kind."""
    merged: dict[tuple[Any, ...], Row] = {}
    examined = rows.to_pylist()
    settings = Settings.read(examined[0]["settings"], examined[0]["mpi_library"]) if examined else None
    for _, examples in groupby(examined, key=itemgetter("kind")):
        row = _row(list(examples), settings)
        key = tuple(row[name] for name in _KEY)
        if key not in merged:
            merged[key] = row
            continue
        there = merged[key]
        there["collectives"] += row["collectives"]
        for name in _LARGEST:
            there[name] = max((one[name] for one in (there, row) if one[name] is not None), default=None)
        if _WORST.index(row["obeyed"]) < _WORST.index(there["obeyed"]):
            there |= {name: row[name] for name in ("obeyed", "why", "since_ns", "first")}
    return sorted(merged.values(), key=lambda row: (row["op"], row["comm"], row["bytes"], -row["collectives"]))


def _row(examples: Sequence[Row], settings: Settings | None) -> Row:
    first = examples[0]
    of_library = settings if first["source"] == "native" and first["second_group"] is None else None
    request = of_library and of_library.request(first["op"], first["ranks"], first["bytes"])
    seen = [observed(row) for row in examples]
    found = recognised(examples, seen)
    depth, crossings = _longest(found, seen[0])
    captured = first["captured"] if first["second_group"] is None else None
    found, differs = decide(found, blocking_form(first["op"]), captured, first["ranks"])
    levels = of_library and hierarchy(of_library, first["op"], seen[0])
    if levels:
        asked, (follows, why) = levels.asked, levels.obeyed(seen[0], found.name)
    else:
        asked, (follows, why) = request and request.asked, obeyed(request, found.name, found.same, captured)
    alike = (
        "op",
        "comm",
        "ranks",
        "bytes",
        "source",
        "ran",
        "captured",
        "collectives",
        "messages",
        "message_bytes",
        "wan_messages",
    )
    return {
        **{name: first[name] for name in alike},
        "algorithm": found.name,
        "segment_bytes": (found.candidate.segment_bytes if found.candidate else None) or 0,
        "same": ", ".join(found.same) or None,
        "differs": differs,
        "depth": depth,
        "crossings": crossings,
        "asked": asked,
        "obeyed": follows,
        "why": why,
        "since_ns": first["first_enter_ns"] if follows == "no" else None,
        "first": f"{first['comm']}:{first['seq']}",
    }


def _longest(found: Recognised, seen: Observed) -> tuple[int | None, int | None]:
    """Messages in sequence on the longest chain, and the most between clusters on any."""
    if found.candidate is None:
        return None, None
    pattern = found.candidate.pattern
    ran = matched(pattern, seen)
    crossings = pattern.chains([ran[number].is_wan for number in range(len(pattern.messages))])
    return max(pattern.levels, default=0), max(crossings, default=0)


def recognised(examples: Sequence[Row], seen: Sequence[Observed]) -> Recognised:
    """What collectives of one kind were run by: `examples` as the query gives them, and the same as `seen`."""
    return recognise(seen) if examples[0]["second_group"] is None else Recognised(UNRECOGNISED)


def observed(row: Row) -> Observed:
    """One example of the query as what was seen."""
    columns = ("src", "dst", "lengths", "sent_ns", "received_ns", "is_wan")
    messages = [Seen(*values) for values in zip(*(row[name] for name in columns), strict=True)]
    places = [_numbered(row[name] or ["here"] * row["ranks"]) for name in ("hosts", "clusters")]
    return Observed(blocking_form(row["op"]), row["ranks"], row["root"], row["bytes"], messages, *places)


def _numbered(names: Sequence[str]) -> tuple[int, ...]:
    """A number for each name."""
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(name, len(numbers)) for name in names)


def blocking_form(op: str) -> str:
    """MPI_Allreduce of MPI_Iallreduce, MPI_Allreduce_init or MPI_Allreduce_c."""
    name = re.sub(r"(_init)?(_c)?$", "", op)
    return re.sub(r"^MPI_I([a-z])", lambda found: f"MPI_{found[1].upper()}", name)
