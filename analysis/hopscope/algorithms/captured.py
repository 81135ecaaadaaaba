"""The library's own name of the algorithm that ran, where the collector captured it, beside what was recognised."""

from __future__ import annotations

from dataclasses import replace

from hopscope.algorithms.recognition import UNRECOGNISED, Recognised
from hopscope.mpi_libraries.open_mpi import algorithms as open_mpi


def decide(found: Recognised, operation: str, captured: str | None, ranks: int) -> tuple[Recognised, str | None]:
    """The algorithm by both, and what the captured one would have sent if the messages are another's.

    The messages are what ran: a function of the library may pass the work on to another one, as for small payloads. The
    name decides where they leave it open. operation: in its blocking form.
    """
    named = captured and open_mpi.sent_by(operation.removeprefix("MPI_").lower(), captured, ranks)
    if not named:
        return found, None
    if found.name == UNRECOGNISED:
        is_whole = ":" not in named  # else the name does not say how many chains or children
        return (replace(found, name=named) if is_whole else found), None
    fitting = (found.name, *found.same)
    chosen = next((name for name in fitting if _kind(name) == _kind(named)), None)
    if chosen is None:
        return found, named
    return replace(found, name=chosen, same=tuple(name for name in fitting if name != chosen)), None


def _kind(name: str) -> str:
    """Without the number of chains or children."""
    return name.partition(":")[0]
