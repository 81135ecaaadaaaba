"""Fills the columns that are derived from a drawn trace's events, and adds the table of path stretches.

The walks are those of the conversion, over a trace that is one piece and needs no archive. So they are quick enough for
random traces.
"""

from __future__ import annotations

import tempfile

import _drawn_paths
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hopscope.dataset.path_columns import Array, Tables, arrays_of, intervals_of, lanes_of
from hopscope.native import _paths
from hopscope.vocabulary.words import BINDINGS, CATEGORIES, Vocabulary


def derive(tables: Tables) -> Tables:
    """Fills every column that follows from the others, and adds `path_stretches`.

    Takes the base tables of schemas/tables, each in its own order (calls by collective_id and rank). Fills
    hops.binding, hops.pred_hop_id, calls.pred_hop_id, calls.needed_rank, calls.needed_ns and
    messages.binding. Cost: one sort of the rows.
    """
    words = _vocabulary(tables)
    columns = {
        **arrays_of(tables),
        "messages.send_call": _send_calls(tables),
        **intervals_of(tables["intervals"], lanes_of(tables)),
        **_words_of(tables, words),
    }
    paths = _drawn_paths.walk(columns, tempfile.gettempdir())
    hop_ids = tables["hops"]["hop_id"]
    filled = dict(tables)
    filled["hops"] = _replace_columns(
        tables["hops"], binding=_names(paths["hops.binding"], BINDINGS), pred_hop_id=_take(hop_ids, paths["hops.pred"])
    )
    is_unknown = paths["calls.needed_rank"] < 0
    filled["calls"] = _replace_columns(
        tables["calls"],
        pred_hop_id=_take(hop_ids, paths["calls.pred"]),
        needed_rank=pa.array(paths["calls.needed_rank"], pa.int32(), mask=is_unknown),
        needed_ns=pa.array(paths["calls.needed_ns"], pa.int64(), mask=is_unknown),
    )
    filled["messages"] = _replace_columns(tables["messages"], binding=_names(paths["messages.binding"], BINDINGS))
    filled["path_stretches"] = _stretches(tables, paths, words)
    return filled


def _replace_columns(table: pa.Table, **columns: pa.Array | pa.ChunkedArray) -> pa.Table:
    for name, values in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)
    return table


def _names(codes: Array, names: Vocabulary) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(list(names))).cast(pa.string())


def _rows(rows: Array) -> pa.Array:
    """Row numbers as an array; -1 becomes null."""
    return pa.array(rows, pa.int64(), mask=rows < 0)


def _take(values: pa.ChunkedArray, rows: Array) -> pa.ChunkedArray:
    return values.take(_rows(rows))


def _stretches(tables: Tables, paths: dict[str, Array], words: pa.Array) -> pa.Table:
    ids = tables["collectives"]["collective_id"]
    return pa.table(
        {
            "path": _names(paths["path"], _paths.WORDS["path"]),
            "path_collective_id": _take(ids, paths["path_collective"]),
            "step": paths["step"],
            "rank": paths["rank"],
            "begin_ns": paths["begin_ns"],
            "end_ns": paths["end_ns"],
            "category": _names(paths["category"], CATEGORIES),
            "collective_id": _take(ids, paths["collective"]),
            "hop_id": _take(tables["hops"]["hop_id"], paths["hop"]),
            "message_id": _take(tables["messages"]["message_id"], paths["message"]),
            "src": pa.array(paths["src"], pa.int32(), mask=paths["src"] < 0),
            "dst": pa.array(paths["dst"], pa.int32(), mask=paths["dst"] < 0),
            "op": words.take(_rows(paths["op"])),
            "call_site": words.take(_rows(paths["call_site"])),
        }
    )


def _send_calls(tables: Tables) -> Array:
    """An array (int8) with 1 for each message whose send ends with a call that does nothing else."""
    calls = tables["intervals"].select(["location", "region", "end_ns"]).to_pylist()
    ends = {(call["location"], call["end_ns"]) for call in calls if call["region"] in ("MPI_Send", "MPI_Wait")}
    sends = zip(*(tables["messages"][name].to_pylist() for name in ("src_location", "send_end_ns")), strict=True)
    return np.asarray([send in ends for send in sends], np.int8)


def _vocabulary(tables: Tables) -> pa.Array:
    """Every MPI function, region and call site, once. Stretches refer to them by their positions."""
    columns = [("collectives", "op"), ("intervals", "region"), ("calls", "call_site"), ("intervals", "call_site")]
    chunks = [chunk for table, column in columns for chunk in tables[table][column].chunks]
    return pc.unique(pa.chunked_array([*chunks, pa.array([], pa.string())])).drop_null()


def _words_of(tables: Tables, words: pa.Array) -> dict[str, Array]:
    """The columns of words for `_drawn_paths.walk`, as positions in the tables' vocabulary."""
    columns = [("collectives", "op"), ("calls", "call_site"), ("intervals", "region"), ("intervals", "call_site")]
    return {f"{table}.{column}": _numbers(tables[table][column], words) for table, column in columns}


def _numbers(column: pa.ChunkedArray, words: pa.Array) -> Array:
    """A column of strings as their positions in words; -1 for null (int32)."""
    return pc.fill_null(pc.index_in(column, value_set=words), -1).to_numpy().astype(np.int32)
