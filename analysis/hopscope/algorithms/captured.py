"""Combines the recognised algorithm with the library's own name of the one that ran, if the collector captured it."""

from __future__ import annotations

from dataclasses import replace

from hopscope.algorithms.recognition import UNRECOGNISED, Recognised
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi


def decide(recognition: Recognised, operation: str, captured: str | None, ranks: int) -> tuple[Recognised, str | None]:
    """The algorithm by messages and captured name; and the name of the captured algorithm's messages, if others were
    sent.

    Messages decide: a function of the library may pass the work on to another one, as for small payloads. The name
    decides between algorithms with equal messages. operation: in its blocking form.
    """
    captured_name = captured and open_mpi.sent_by(operation.removeprefix("MPI_").lower(), captured, ranks)
    if not captured_name:
        return recognition, None
    if recognition.name == UNRECOGNISED:
        is_whole = ":" not in captured_name  # else the name does not say how many chains or children
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
