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
    of 64 KiB over 20 ms, each held its sender for 60 ms, and their replay took 1.4 ms where 240 had passed. Where the
    costs know that a message is announced, they know that its sender waits for the answer.
    """
    arrays, rows = source.arrays, hops_of(source)
    begin, end, link, posted, size = (
        arrays[f"hops.{name}"][rows] for name in ("send_begin_ns", "send_end_ns", "link", "recv_post_ns", "bytes")
    )
    found = [(0.0, LINKS[0])]
    for number, name in enumerate(LINKS):
        mine = (link == number) & (end != MISSING)
        if not mine.any():
            continue
        cost = costs.links.get(name)
        known = costs.local.send_ns if cost is None or cost.send_ns is None else cost.send_ns
        held = (end - begin)[mine] - known
        if cost is not None and cost.answer_ns is not None and cost.announcement_ns is not None:
            waits = (size > cost.eager_bytes)[mine] & (posted != MISSING)[mine]
            answered = np.maximum(begin + cost.announcement_ns, posted)[mine] + cost.answer_ns - begin[mine]
            held = np.where(waits, held - answered, held)
        found.append((float(np.median(held)), name))
    return max(found)
