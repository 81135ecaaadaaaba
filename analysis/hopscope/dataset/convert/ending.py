"""Describes the end of a run that did not finish: which ranks stopped where, and who waits for whom."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hopscope.errors import InputError, shortened_list
from hopscope.format.quantities import number
from hopscope.launch.inspection import NOBODY_WAITS, Inspection
from hopscope.launch.job import inspect

_ABORTED: Final = "MPI_Abort was called"
_CUT: Final = "MPI_Finalize was not reached"
"""The reasons that the assembling program gives for a rank's end; see schemas/otf2.md."""

_RANK_LIMIT: Final = 6


def unfinished(directory: Path, stopped: Mapping[int, str]) -> str | None:
    """Say that a run did not finish, and who waits for whom, in sentences; None if it finished.

    directory: the trace directory. It shows who waits for whom only while it still has the run's recordings. stopped:
    for each rank whose recording has no end, the reason.
    """
    aborted, cut = (
        [rank for rank, reason in sorted(stopped.items()) if reason == outcome] for outcome in (_ABORTED, _CUT)
    )
    if not aborted and not cut:
        return None
    inspection = _inspection(directory)
    if inspection is not None and inspection.is_live:
        first = "The run was still going on when its trace was put together."
    else:
        ends = [f"{_ranks(aborted)} called MPI_Abort"] if aborted else []
        ends += [f"{_ranks(cut)} ended before MPI_Finalize"] if cut else []
        first = f"The run did not finish: {', and '.join(ends)}."
    waits = [] if inspection is None else [text for text in inspection.sentences() if text != NOBODY_WAITS]
    return " ".join([first, *(f"{text[0].upper()}{text[1:]}." for text in waits)])


def _inspection(directory: Path) -> Inspection | None:
    try:
        return Inspection(inspect(directory))
    except InputError:
        return None  # the recordings are gone, or this program cannot read them


def _ranks(ranks: list[int]) -> str:
    if len(ranks) == 1:
        return f"rank {ranks[0]}"
    return f"{number(len(ranks))} ranks ({shortened_list([*map(str, ranks)], _RANK_LIMIT)})"
