"""Hops of collectives as arrays: the data to which costs are fitted, and which the replay reproduces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Hops:
    """The hops of one or more collectives, as arrays of one length. Times in ns, hosts numbered from 0."""

    collective: Array
    src: Array
    dst: Array
    src_host: Array
    dst_host: Array
    link: Array  # position in LINKS
    up: Array
    segment: Array
    size: Array  # bytes
    sent: Array
    received: Array
    posted: Array  # time from which the receiver could take the message
    binding: Array  # True if the receiver had to wait for the message
    clock_error: Array  # largest error of a difference between times at both ends

    def host_pairs(self) -> list[tuple[int, int]]:
        """The directed pair of hosts of each hop."""
        return list(zip(self.src_host.tolist(), self.dst_host.tolist(), strict=True))

    def select(self, selection: Array) -> Hops:
        """The selected hops."""
        return Hops(*(column[selection] for column in vars(self).values()))
