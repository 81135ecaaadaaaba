"""`analyze algorithms`: which algorithm each collective ran by, and whether it is what the user asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from hopscope.algorithms import observed
from hopscope.algorithms.asked import UNDECIDED, Settings, obeyed
from hopscope.algorithms.hierarchical import hierarchy
from hopscope.algorithms.recognition import UNRECOGNISED
from hopscope.query.header import Scalar

Row = dict[str, Any]

_KEY: Final = ("op", "comm", "bytes", "algorithm", "segment_bytes", "captured", "source")
_WORST: Final = ("no", UNDECIDED, "yes", None)
_AS_STORED: Final = (
    "op",
    "comm",
    "ranks",
    "bytes",
    "source",
    "ran",
    "captured",
    "same",
    "differs",
    "segment_bytes",
    "collectives",
    "depth",
    "messages",
    "message_bytes",
    "wan_messages",
    "crossings",
)
_LARGEST: Final = ("depth", "messages", "message_bytes", "wan_messages", "crossings")


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[Row]:
    """One row per operation, communicator, payload and algorithm; `rows` are kinds, payload by payload."""
    merged: dict[tuple[Any, ...], Row] = {}
    kinds = rows.to_pylist()
    settings = Settings.read(kinds[0]["settings"], kinds[0]["mpi_library"]) if kinds else None
    for kind in kinds:
        row = _row(kind, settings)
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


def _row(row: Row, settings: Settings | None) -> Row:
    of_library = settings if row["source"] == "native" and not row["is_between_groups"] else None
    request = of_library and of_library.request(row["op"], row["ranks"], row["bytes"])
    name, same = row["algorithm"] or UNRECOGNISED, row["same"].split(", ") if row["same"] else ()
    seen = observed(row) if of_library and row["src"] else None
    levels = hierarchy(of_library, row["op"], seen) if of_library and seen else None
    if levels and seen:
        asked, (follows, why) = levels.wording, levels.obeyed(seen, name)
    else:
        asked, (follows, why) = request and request.wording, obeyed(request, name, same, row["captured"])
    return {
        **{name: row[name] for name in _AS_STORED},
        "algorithm": name,
        "asked": asked,
        "obeyed": follows,
        "why": why,
        "since_ns": row["first_enter_ns"] if follows == "no" else None,
        "first": f"{row['comm']}:{row['seq']}",
    }
