"""Hopscope: see, explain and improve MPI collective communication, hop by hop.

`hopscope.open(path)` gives a `Trace`, whose methods are the analyses. `hopscope.region(name)` marks a part of an MPI
program in its trace. Such programs import this package, too, so the modules that analyses need are only loaded at their
first use.
"""

from typing import TYPE_CHECKING, Any

from hopscope.errors import InputError
from hopscope.region import region

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace, open

__all__ = ["Answer", "InputError", "Trace", "open", "region"]


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hopscope import trace

    return getattr(trace, name)
