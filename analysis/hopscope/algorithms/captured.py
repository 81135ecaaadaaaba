"""Combines the algorithm recognised from messages with the library's function that ran, if the collector captured its
name."""

from __future__ import annotations

from dataclasses import replace

from hopscope.algorithms.recognition import UNRECOGNISED, Recognised
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi


def decide(recognition: Recognised, operation: str, captured: str | None, ranks: int) -> tuple[Recognised, str | None]:
    """Returns the algorithm by messages and captured name. If these disagree, also returns the name of the messages
    that the captured function should have sent; otherwise None.

    Messages take precedence, because a function of the library may pass the work on to another function, for example
    for small payloads. The captured name decides between algorithms with equal messages. operation: in its blocking
    form, such as MPI_Bcast.
    """
    captured_name = captured and open_mpi.sent_by(operation.removeprefix("MPI_").lower(), captured, ranks)
    if not captured_name:
        return recognition, None
    if recognition.name == UNRECOGNISED:
        is_whole = ":" not in captured_name  # otherwise, the number of chains or children is not sure
        return (replace(recognition, name=captured_name) if is_whole else recognition), None
    fitting = (recognition.name, *recognition.equivalents)
    equivalent = next((name for name in fitting if _kind(name) == _kind(captured_name)), None)
    if equivalent is None:
        return recognition, captured_name
    return replace(
        recognition, name=equivalent, equivalents=tuple(name for name in fitting if name != equivalent)
    ), None


def _kind(name: str) -> str:
    """A name without the number of chains or children."""
    return name.partition(":")[0]
