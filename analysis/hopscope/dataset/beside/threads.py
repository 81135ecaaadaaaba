"""Matches the threads of two traces of one run, rank by rank, and aligns the clocks of each rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscope.dataset.beside.clock import ClockLine, Ints
from hopscope.dataset.beside.matching import Calls, common_sequence, line_of_calls, matched
from hopscope.dataset.beside.recording import Thread


@dataclass(frozen=True)
class ThreadMatch:
    """A thread in both traces, with the rows of the calls that both recorded. line: from the foreign clock; all threads
    of a rank have the same."""

    thread: Thread
    foreign: Thread
    rows: Ints
    foreign_rows: Ints
    line: ClockLine


def matched_threads(threads: Sequence[Thread], foreign: Sequence[Thread]) -> list[ThreadMatch]:
    """The threads that both traces have. A thread has at most one match, of the same rank."""
    matches: list[ThreadMatch] = []
    for rank in sorted({thread.rank for thread in threads}):
        matches += _of_rank(*([thread for thread in side if thread.rank == rank] for side in (threads, foreign)))
    return matches


def _of_rank(threads: Sequence[Thread], foreign: Sequence[Thread]) -> list[ThreadMatch]:
    couples = [(thread, foreign_thread) for thread in threads for foreign_thread in foreign]
    # The clock is the process's, so the couple with most calls in common aligns it for all threads.
    first = max((_match(*couple) for couple in couples), key=_calls, default=None)
    if first is None or not _calls(first):
        return []
    candidates = sorted((_match_along(first.line, *couple) for couple in couples), key=_calls, reverse=True)
    thread_matches: list[ThreadMatch] = []
    for match in candidates:
        used_threads = {
            id(side) for thread_match in thread_matches for side in (thread_match.thread, thread_match.foreign)
        }
        if _calls(match) and used_threads.isdisjoint((id(match.thread), id(match.foreign))):
            thread_matches.append(match)
    line = line_of_calls(
        _joined([match.thread.calls.take(match.rows) for match in thread_matches]),
        _joined([match.foreign.calls.take(match.foreign_rows) for match in thread_matches]),
    )
    return [_match_along(line, match.thread, match.foreign) for match in thread_matches]


def _match(thread: Thread, foreign: Thread) -> ThreadMatch | None:
    pairs = matched(thread.calls, foreign.calls)
    return None if pairs is None else ThreadMatch(thread, foreign, pairs.rows, pairs.foreign_rows, pairs.line)


def _match_along(line: ClockLine, thread: Thread, foreign: Thread) -> ThreadMatch:
    return ThreadMatch(thread, foreign, *common_sequence(thread.calls, foreign.calls, line), line)


def _calls(match: ThreadMatch | None) -> int:
    return 0 if match is None else len(match.rows)


def _joined(sides: Sequence[Calls]) -> Calls:
    return Calls(*(np.concatenate([getattr(calls, name) for calls in sides]) for name in Calls.__annotations__))
