"""Compiled walks over the events of a run, and sums of their times; built from analysis/native/paths."""

from typing import Any

import numpy as np

LINK_CLASSES: tuple[tuple[str, str], ...]
"""Words and conditions of schemas/links.h."""
WORDS: dict[str, dict[str, str]]
"""Vocabularies of schemas/words.h by name, each word with its meaning."""

def link_class(
    one_rank: int, one_host: int, one_cluster: int, other_rank: int, other_host: int, other_cluster: int, /
) -> int: ...
def mpi_functions() -> list[tuple[str, str, str | None, str | None]]: ...
def leads_of(function: str) -> int: ...
def library_of(function: str) -> int: ...
def returns_early(function: str) -> bool: ...
def sum_times(
    spans: dict[str, np.ndarray[Any, Any]],
    waits: dict[str, np.ndarray[Any, Any]],
    lanes: dict[str, np.ndarray[Any, Any]],
    rows: int,
    begin: int,
    level: int,
    columns: int,
) -> np.ndarray[Any, Any]: ...
def due_times(costs: dict[str, Any], hops: dict[str, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]: ...
