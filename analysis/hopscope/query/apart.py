"""Computes what takes much memory in a process of its own, with which its arrays go: they are larger than all else a
server holds."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

import pyarrow as pa

Opened = TypeVar("Opened")


def in_subprocess(compute: Callable[[Opened], pa.Table], opened: Callable[..., Opened], *arguments: Any) -> pa.Table:
    """What `compute` says of the trace that `opened(*given)` gives there. Both are functions of a module."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_computed, compute, opened, *arguments).result()


def _computed(compute: Callable[[Opened], pa.Table], opened: Callable[..., Opened], *arguments: Any) -> pa.Table:
    return compute(opened(*arguments))
