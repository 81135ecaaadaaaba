"""The use of cores by ranks that compute longer: more work, waiting for a core, or sleep.

Evidence only: whatever it shows, the time counts as computing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pyarrow as pa

from hopscope.dataset.path_columns import Array

_MOSTLY: Final = 0.5
"""A share of the excess that counts as most of it."""
_FITS: Final = 2.0
"""Beyond this multiple of the excess, other computing of these ranks hides what the excess is."""
_THREADS: Final = 1.5
"""Ranks differ in threads if one keeps this many times as many cores busy as another."""

Word = Literal["on-core", "queued", "asleep", "idle-threads"]


@dataclass(frozen=True)
class CoreUse:
    """The use of most of the excess of ranks that compute longer.

    excess_ns: the whole excess. part_ns: its part without a core or asleep. cores, other_cores: the mean number of
    busy cores while the first thread of these ranks, and of the others, is on a core.
    """

    word: Word
    excess_ns: float
    part_ns: float
    cores: float
    other_cores: float


def core_use_of(excess_ns: Mapping[int, float], ranks: pa.Table) -> CoreUse | None:
    """The use of the excess of these ranks, in ns by rank, compared with the other ranks. None if it is unknown."""
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
    """more, late, usual: computing, on a core, queued and of all threads; beyond the others, in all, and of others."""
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
