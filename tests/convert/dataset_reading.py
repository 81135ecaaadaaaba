"""Reads a dataset for tests, and checks the contract of every table."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from contract_breaks import violations
from hopscope.dataset.store import table_names

Tables = dict[str, pa.Table]


def read_dataset(dataset: Path) -> Tables:
    """All tables of a dataset, read from disk and checked."""
    tables: Tables = {name: pq.read_table(dataset / name) for name in table_names()}
    broken = [sentence for name, table in tables.items() for sentence in violations(name, table)]
    assert broken == []
    return tables
