"""How long messages hold their senders, beyond what the replay of a candidate knows."""

from __future__ import annotations

import numpy as np

from hopscope.links import LINKS
from hopscope.model.costs import Costs
from hopscope.paths.columns import MISSING
from hopscope.remap.run.hops import hops_of
from hopscope.remap.run.program import Source


def held_ns(source: Source, costs: Costs) -> tuple[float, str]:
    """The time by which the median message of some class of links holds its sender for longer than the costs say, ns,
    and that class.

    A long message is announced before it goes. A library that sends segments in turn waits for each: of four segments
    of 64 KiB over 20 ms, each held its sender for 60 ms, and their replay took 1.4 ms where 240 had passed.
    """
    arrays, rows = source.arrays, hops_of(source)
    begin, end, link = (arrays[f"hops.{name}"][rows] for name in ("send_begin_ns", "send_end_ns", "link"))
    found = [(0.0, LINKS[0])]
    for number, name in enumerate(LINKS):
        mine = (link == number) & (end != MISSING)
        if mine.any():
            known = costs.links[name].send_ns if name in costs.links else None
            known = costs.local.send_ns if known is None else known
            found.append((float(np.median((end - begin)[mine])) - known, name))
    return max(found)
