"""Finds out what ranks that compute longer than others did in that time: work on a core, wait for a core, or sleep.

The result is only shown as evidence: the time counts as computing in each of these cases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array

_MOSTLY: Final = 0.5
"""The share of the excess that counts as most of the excess."""
_FITS: Final = 2.0
"""If ranks waited for a core or slept for longer than this multiple of the excess, they did so mostly outside the
excess. Then their activity in the excess is unknown."""
_THREADS: Final = 1.5
"""Ranks differ in threads if one keeps this many times as many cores busy as another."""

Word = Literal["on-core", "queued", "asleep", "idle-threads"]


@dataclass(frozen=True)
class CoreUse:
    """The activity of ranks in most of the time that they computed longer than the others.

    excess_ns: this time, summed over the ranks. part_ns: the part of it in which they waited for a core or slept.
    cores: the mean number of cores that a rank keeps busy while its first thread is on a core. other_cores: the same
    for the other ranks.
    """

    word: Word
    excess_ns: float
    part_ns: float
    cores: float
    other_cores: float


def core_use_of(excess_ns: Mapping[int, float], ranks: pa.Table) -> CoreUse | None:
    """Finds the main activity of ranks while they computed longer than the others: they ran on a core (perhaps with
    fewer busy threads than the others), waited for a core, or slept. excess_ns: for each of these ranks, how much
    longer it computed. None if the samples do not show it."""
    names = ("computing_ns", "computing_on_core_ns", "computing_queued_ns", "computing_cpu_ns")
    if not set(names) <= set(ranks.column_names):
        return None  # a dataset of an earlier release
    columns = [np.asarray(ranks[name].to_numpy(zero_copy_only=False), float) for name in names]
    sampled = np.column_stack([np.asarray(ranks["rank"]), *columns])
    sampled = sampled[~np.isnan(sampled).any(axis=1)]
    is_late = np.isin(sampled[:, 0], list(excess_ns))
    late, others = sampled[is_late][:, 1:], sampled[~is_late][:, 1:]
    has_others = ranks.num_rows > len(excess_ns)
    if not len(late) or len(late) < len(excess_ns) or (has_others and not len(others)):
        return None
    usual = np.median(others, axis=0) if has_others else np.zeros(len(names))
    return _core_use(sum(excess_ns.values()), (late - usual).sum(axis=0), late.sum(axis=0), usual)


def _core_use(excess_ns: float, more: Array, late: Array, usual: Array) -> CoreUse | None:
    """Decides on the activity. The arrays have four times in ns: computing, its part on a core, its part waiting for a
    core, and the processor time of all threads. late: the sum over the ranks that compute longer. usual: the median of
    the others. more: how far those ranks' times exceed `usual`, summed."""
    computing, on_core, queued, _ = more.tolist()
    asleep = computing - on_core - queued
    cores, other_cores = (float(values[3] / values[1]) if values[1] else 1.0 for values in (late, usual))
    if max(queued, asleep) > _FITS * excess_ns or computing < _MOSTLY * excess_ns:
        return None
    word: Word = "on-core"
    if other_cores >= _THREADS * cores:
        word = "idle-threads"
    elif queued >= _MOSTLY * excess_ns:
        word = "queued"
    elif asleep >= _MOSTLY * excess_ns:
        word = "asleep"
    part = {"queued": queued, "asleep": asleep}.get(word, 0.0)
    return CoreUse(word, excess_ns, min(part, excess_ns), cores, other_cores)
