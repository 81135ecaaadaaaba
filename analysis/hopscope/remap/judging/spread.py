"""What a run's iterations took beyond their replay: how far off a prediction may be although every cost is right.

The replay knows medians. A rank that lost its core, or met a busy network, is in the run and not in the replay; a rerun
has its own share of that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from hopscope.bootstrap import CONFIDENCE
from hopscope.paths.columns import Array
from hopscope.resampling import blocks_of

LEAST_APART = 0.04
"""Two runs are never taken to be closer than this share: one run does not tell how runs differ from one another. Of 272
runs over emulated links, 95 % were within 3.8 % of the median of the same program's others."""
PROBED_APART = 0.1
"""A collective's messages are not a probe's. Of 25 predictions that leaned on one, 21 came true with the share above;
three of the other four reruns were within this one."""


@dataclass(frozen=True)
class Spread:
    """beyond_ns: mean of the run's iterations less that of their replay. reach_ns: how far apart the means of two such
    runs may be by chance, with 95 %. least: see `LEAST_APART`."""

    replayed_ns: float
    beyond_ns: float
    reach_ns: float
    least: float = LEAST_APART

    def of_a_probe(self) -> Spread:
        """The same for a prediction that leans on what a probe measured."""
        return replace(self, least=PROBED_APART)

    def at_least(self, apart: float) -> Spread:
        """The same if two runs may be this share apart."""
        return replace(self, reach_ns=max(self.reach_ns, apart * self.replayed_ns))

    def around(self, low: float, high: float) -> tuple[float, float]:
        """The ends of a prediction's interval with this added.

        What a run lost does not shrink with its tree, so a faster candidate may lose as much. It gains no more than in
        proportion. A replay that has too much of what ran may have too little of a candidate.
        """
        shrink = min(1.0, low / self.replayed_ns) if self.replayed_ns > 0 else 0.0
        too_much = shrink * max(0.0, -self.beyond_ns)
        least = low - max(self.least * low, shrink * self.reach_ns) - too_much
        return max(0.0, least), high + max(self.least * high, self.reach_ns) + max(too_much, self.beyond_ns)


def spread_of(measured: Array, replayed: Array) -> Spread:
    """measured, replayed: the last leaves of the subject's collectives in the run and in its replay, in ns."""
    ran, again = (np.diff(np.sort(leaves)).astype(np.float64) for leaves in (measured, replayed))
    # A rerun's computing differs as well, which a replay of the run's own computing does not show.
    return Spread(float(again.mean()), float((ran - again).mean()), max(_apart(ran), _apart(ran - again)))


def _apart(iterations: Array) -> float:
    """How far apart the means of two runs of such iterations may be, with 95 %."""
    blocks = blocks_of(iterations)
    if blocks.count < 2:
        return 0.0
    means = iterations[: blocks.count * blocks.length].reshape(blocks.count, blocks.length).mean(axis=1)
    error = math.sqrt(2 * float(means.var(ddof=1)) * blocks.stretch / blocks.count)
    return float(stdtrit(blocks.count - 1, (1 + CONFIDENCE) / 2)) * error
