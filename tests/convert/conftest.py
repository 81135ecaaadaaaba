"""Every dataset that a test here makes is held against the contract of every table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from archive_drawing import Drawing
from hopscope.convert import ensure_dataset
from hopscope.convert.contract import table_names, violations

Tables = dict[str, pa.Table]


def read_dataset(dataset: Path) -> Tables:
    """All tables of a dataset as they lie on disk, once they are found to keep their contracts."""
    tables: Tables = {name: pq.read_table(dataset / name / "part-00000.parquet") for name in table_names()}
    broken = [sentence for name, table in tables.items() for sentence in violations(name, table)]
    assert broken == []
    return tables


@pytest.fixture
def converted() -> Callable[[Path], Tables]:
    """Converts what is at a path and returns the dataset's tables."""
    return lambda path: read_dataset(ensure_dataset(path))


@pytest.fixture
def rows() -> Callable[..., dict[str, list[dict[str, Any]]]]:
    """Writes a drawing, converts it, and returns every table as rows."""

    def convert(drawing: Drawing) -> dict[str, list[dict[str, Any]]]:
        tables = read_dataset(ensure_dataset(drawing.write()))
        return {name: table.to_pylist() for name, table in tables.items()}

    return convert
