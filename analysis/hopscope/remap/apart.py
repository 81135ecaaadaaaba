"""Remaps a long run in a process of its own, with which its arrays go: they are larger than all else a server holds."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pyarrow as pa

from hopscope.remap import HasTables, remap


def remap_apart(opened: Callable[..., HasTables], *given: Any) -> pa.Table:
    """What `remap` says of the trace that `opened(*given)` gives there."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        return process.submit(_remap, opened, *given).result()


def _remap(opened: Callable[..., HasTables], *given: Any) -> pa.Table:
    return remap(opened(*given))
