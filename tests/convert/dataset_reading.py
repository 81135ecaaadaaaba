"""Reads a dataset back as the tests want it: held against the contract of every table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from contract_breaks import violations
from hopscope.dataset.store import table_names

Tables = dict[str, pa.Table]


def read_dataset(dataset: Path) -> Tables:
    """All tables of a dataset as they lie on disk, once they are found to keep their contracts."""
    tables: Tables = {name: pq.read_table(dataset / name) for name in table_names()}
    broken = [sentence for name, table in tables.items() for sentence in violations(name, table)]
    assert broken == []
    return tables
