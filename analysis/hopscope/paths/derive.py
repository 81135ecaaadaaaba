"""Fills the columns that are derived from a trace's events, and adds the table of path stretches."""

from __future__ import annotations

import tempfile

import pyarrow as pa

from hopscope import _paths
from hopscope.paths.columns import BINDINGS, CATEGORIES, PATHS, Array, Tables, arrays_of, vocabulary, words_of


def derive(tables: Tables) -> Tables:
    """The same tables with every column filled that follows from the others, and `path_stretches`.

    Takes the base tables of schemas/tables, each in its own order (calls by collective_id and rank). Fills
    hops.binding, hops.pred_hop_id, calls.pred_hop_id and messages.binding. Cost: one sort of the rows.
    """
    words = vocabulary(tables)
    found = _paths.walk({**arrays_of(tables), **words_of(tables, words)}, tempfile.gettempdir())
    hop_ids = tables["hops"]["hop_id"]
    filled = dict(tables)
    filled["hops"] = _with(
        tables["hops"], binding=_names(found["hops.binding"], BINDINGS), pred_hop_id=_take(hop_ids, found["hops.pred"])
    )
    filled["calls"] = _with(tables["calls"], pred_hop_id=_take(hop_ids, found["calls.pred"]))
    filled["messages"] = _with(tables["messages"], binding=_names(found["messages.binding"], BINDINGS))
    filled["path_stretches"] = _stretches(tables, found, words)
    return filled


def _with(table: pa.Table, **columns: pa.Array | pa.ChunkedArray) -> pa.Table:
    for name, values in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)
    return table


def _names(found: Array, names: tuple[str, ...]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(found), pa.array(names)).cast(pa.string())


def _rows(found: Array) -> pa.Array:
    """Rows to take; null where there is none (-1)."""
    return pa.array(found, pa.int64(), mask=found < 0)


def _take(values: pa.ChunkedArray, found: Array) -> pa.ChunkedArray:
    return values.take(_rows(found))


def _stretches(tables: Tables, found: dict[str, Array], words: pa.Array) -> pa.Table:
    ids = tables["collectives"]["collective_id"]
    return pa.table(
        {
            "path": _names(found["path"], PATHS),
            "path_collective_id": _take(ids, found["path_collective"]),
            "step": found["step"],
            "rank": found["rank"],
            "begin_ns": found["begin_ns"],
            "end_ns": found["end_ns"],
            "category": _names(found["category"], CATEGORIES),
            "collective_id": _take(ids, found["collective"]),
            "hop_id": _take(tables["hops"]["hop_id"], found["hop"]),
            "message_id": _take(tables["messages"]["message_id"], found["message"]),
            "src": pa.array(found["src"], pa.int32(), mask=found["src"] < 0),
            "dst": pa.array(found["dst"], pa.int32(), mask=found["dst"] < 0),
            "op": words.take(_rows(found["op"])),
            "call_site": words.take(_rows(found["call_site"])),
        }
    )
