"""Collectives of the MPI library whose messages the trace lacks: no answer is about them."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from hopscope.paths.columns import integers
from hopscope.quantities import number
from hopscope.remap.run.program import Source, carried_of, operations_of

MOST_UNSEEN = 0.1
"""A larger share of an operation's collectives is worth a sentence. The first ones, in which a library sets itself up,
are always without their messages."""


def unseen_sentences(source: Source) -> str:
    """Of each operation that is judged as the library ran it, how few of its collectives the trace has whole, if they
    are few. Begins with a space where there is anything."""
    if not source.subject.native:
        return ""
    carried, _ = carried_of(source.tables, source.arrays)
    collectives, comms = source.tables["collectives"], source.tables["comms"]
    ops = operations_of(collectives)
    between_groups = integers(comms.filter(pc.is_valid(comms["second_group"])), "comm")
    could = (integers(collectives, "comm_size") > 1) & ~np.isin(integers(collectives, "comm"), between_groups)
    said = ""
    for op in sorted({part.op for part in source.subject.each}):
        mine = could & (ops == op)
        whole, lacking = int((mine & carried).sum()), int((mine & ~carried).sum())
        if lacking > MOST_UNSEEN * (whole + lacking):
            said += (
                f" The trace has all messages of only {number(whole)} of {number(whole + lacking)} collectives of "
                f"{op}, so this says nothing of the others; `analyze caveats` says what it lacks."
            )
    return said
