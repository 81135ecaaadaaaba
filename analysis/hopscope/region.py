"""Marks regions of a Python program in its trace, through the preloaded collector."""

from __future__ import annotations

import ctypes
from contextlib import ContextDecorator
from typing import Any

# All symbols of the process. PyDLL keeps the interpreter's lock: the calls take only nanoseconds.
_PROCESS = ctypes.PyDLL(None)


def _find(symbol: str) -> Any:
    function = getattr(_PROCESS, symbol, None)
    if function is not None:
        function.argtypes, function.restype = [ctypes.c_char_p], None
    return function


_begin, _end = _find("hopscope_region_begin"), _find("hopscope_region_end")


class region(ContextDecorator):  # noqa: N801 (it is used as a function is)
    """`with hopscope.region("solve"):`, or `@hopscope.region("solve")` above a function.

    The stretch appears in the trace as a region of this thread (`analyze regions`). Without the collector in the
    process, before MPI_Init and after MPI_Finalize it does nothing.
    """

    def __init__(self, name: str) -> None:
        self._name = name.encode()

    def __enter__(self) -> region:
        if _begin:
            _begin(self._name)
        return self

    def __exit__(self, *_: object) -> None:
        if _end:
            _end(self._name)
