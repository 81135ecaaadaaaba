"""Fixtures that convert archives. Every dataset that a test makes is checked against the contract of every table."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from archive_drawing import Drawing
from dataset_reading import Tables, read_dataset
from hopscope.dataset.convert import ensure_dataset


@pytest.fixture
def converted() -> Callable[[Path], Tables]:
    """A function that converts the archive at a path, and returns the dataset's tables."""
    return lambda path: read_dataset(ensure_dataset(path))


@pytest.fixture
def rows() -> Callable[..., dict[str, list[dict[str, Any]]]]:
    """A function that writes a drawing, converts it, and returns every table as rows."""

    def convert(drawing: Drawing) -> dict[str, list[dict[str, Any]]]:
        tables = read_dataset(ensure_dataset(drawing.write()))
        return {name: table.to_pylist() for name, table in tables.items()}

    return convert
