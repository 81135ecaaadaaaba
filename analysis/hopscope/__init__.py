"""Hopscope: see, explain and improve MPI collective communication, hop by hop.

`hopscope.open(path)` gives a `Trace`, whose methods are the analyses.
"""

from hopscope.errors import InputError
from hopscope.trace import Answer, Trace, open

__all__ = ["Answer", "InputError", "Trace", "open"]
