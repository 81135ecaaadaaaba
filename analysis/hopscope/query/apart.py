"""Runs a memory-hungry computation in a subprocess, so that its memory is freed at once."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

import pyarrow as pa

Opened = TypeVar("Opened")


def in_subprocess(compute: Callable[[Opened], pa.Table], opened: Callable[..., Opened], *arguments: Any) -> pa.Table:
    """The result of `compute` for the trace that `opened(*arguments)` opens there. Both are functions of a module."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_computed, compute, opened, *arguments).result()


def _computed(compute: Callable[[Opened], pa.Table], opened: Callable[..., Opened], *arguments: Any) -> pa.Table:
    return compute(opened(*arguments))
