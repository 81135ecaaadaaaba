"""Hopscope: see, explain and improve MPI collective communication, hop by hop.

`hopscope.open(path)` gives a `Trace`, whose methods are the analyses.
"""

from hopscope.errors import InputError
from hopscope.trace import Answer, Trace, open  # noqa: A004 - hopscope.open is the name that users type

__all__ = ["Answer", "InputError", "Trace", "open"]
