"""`analyze algorithms`: tells which algorithm each collective used, and if it is the one that the user asked for."""

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
    """One row per operation, communicator, payload and algorithm; `rows` has a row per kind of collective and
    payload."""
    merged: dict[tuple[Any, ...], Row] = {}
    kinds = rows.to_pylist()
    settings = Settings.read(kinds[0]["settings"], kinds[0]["mpi_library"]) if kinds else None
    for kind in kinds:
        row = _row(kind, settings)
        key = tuple(row[name] for name in _KEY)
        if key not in merged:
            merged[key] = row
            continue
        total = merged[key]
        total["collectives"] += row["collectives"]
        for name in _LARGEST:
            total[name] = max((part[name] for part in (total, row) if part[name] is not None), default=None)
        if _WORST.index(row["obeyed"]) < _WORST.index(total["obeyed"]):
            total |= {name: row[name] for name in ("obeyed", "why", "since_ns", "first")}
    return sorted(merged.values(), key=lambda row: (row["op"], row["comm"], row["bytes"], -row["collectives"]))


def _row(row: Row, settings: Settings | None) -> Row:
    of_library = settings if row["source"] == "native" and not row["is_between_groups"] else None
    request = of_library and of_library.request(row["op"], row["ranks"], row["bytes"])
    name, equivalents = row["algorithm"] or UNRECOGNISED, row["same"].split(", ") if row["same"] else ()
    observation = observed(row) if of_library and row["src"] else None
    levels = hierarchy(of_library, row["op"], observation) if of_library and observation else None
    if levels and observation:
        requested, (follows, reason) = levels.wording, levels.obeyed(observation, name)
    else:
        requested, (follows, reason) = request and request.wording, obeyed(request, name, equivalents, row["captured"])
    return {
        **{name: row[name] for name in _AS_STORED},
        "algorithm": name,
        "asked": requested,
        "obeyed": follows,
        "why": reason,
        "since_ns": row["first_enter_ns"] if follows == "no" else None,
        "first": f"{row['comm']}:{row['seq']}",
    }
