"""The dataset of a recorded run with its ranks on other hosts: the messages are unchanged, but run over other links."""

from pathlib import Path

import hopscope
import pyarrow as pa
import pyarrow.parquet as pq
from hopscope.dataset import manifest
from hopscope.dataset.store import table_names
from kinds_in_drawings import with_kinds

SITES = ("a0", "A"), ("b0", "B")
"""The hosts for the ranks, with their clusters."""


def moved(trace: hopscope.Trace, folder: Path) -> hopscope.Trace:
    """Places the ranks of a run on two sites: even ranks at A, odd ones at B."""
    tables = {name: trace.table(name) for name in table_names()}
    places = [SITES[rank % 2] for rank in tables["ranks"]["rank"].to_pylist()]
    tables["ranks"] = _with(
        _with(tables["ranks"], "host", [host for host, _ in places]), "cluster", [cluster for _, cluster in places]
    )
    hops = tables["hops"]
    ends = zip(hops["src"].to_pylist(), hops["dst"].to_pylist(), strict=True)
    tables["hops"] = _with(hops, "link", ["wan" if (src - dst) % 2 else "shm" for src, dst in ends])
    # The recognition of algorithms also uses hosts and clusters.
    recognised = with_kinds({name: table for name, table in tables.items() if name not in ("kinds", "trees")})
    files: dict[str, list[manifest.Described]] = {}
    for name, table in recognised.items():
        part = folder / name / "part-00000.parquet"
        part.parent.mkdir(parents=True)
        pq.write_table(table, part)
        files[name] = [manifest.described(part, table.num_rows)]
    manifest.write(folder, files)
    return hopscope.open(folder)


def _with(table: pa.Table, column: str, values: list[str]) -> pa.Table:
    index = table.column_names.index(column)
    return table.set_column(index, table.schema.field(index), pa.array(values, table.schema.field(index).type))
