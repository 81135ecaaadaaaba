"""The subject's hops in the form that fits and replay use, and the calls to which hops belong."""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from hopscope.dataset.path_columns import Array, integers
from hopscope.machine.hops import Hops
from hopscope.replay.run.subject import Source


def hops_of(source: Source) -> Array:
    """The rows of the hops of the subject's collectives in the table `hops`."""
    arrays, subject = source.arrays, source.subject
    is_simulated = np.isin(arrays["hops.collective"], subject.simulated)
    return np.flatnonzero(is_simulated & (arrays["hops.from_engine"] == (not subject.native)))


def model_hops(source: Source, rows: Array) -> Hops:
    """These rows of the table `hops` as `Hops`."""
    arrays, places = source.arrays, source.places
    table = source.tables["hops"]
    host = np.zeros(1 + max(places.host_of_rank), np.int64)
    host[list(places.host_of_rank)] = list(places.host_of_rank.values())
    src, dst = integers(table, "src")[rows], integers(table, "dst")[rows]
    waited, late_receives = (pc.equal(table["binding"], word).to_numpy()[rows] for word in ("recv", "send"))
    if not source.subject.native:
        late_receives &= False
    # A library's messages have no role. A message to a higher rank then counts as up, the others as down, so that clock
    # errors of the two directions cancel.
    up = src < dst if source.subject.native else pc.fill_null(pc.equal(table["role"], "up"), False).to_numpy()[rows]
    return Hops(
        arrays["hops.collective"][rows],
        src,
        dst,
        host[src],
        host[dst],
        arrays["hops.link"][rows].astype(np.int64),
        up,
        integers(table, "segment")[rows],
        arrays["hops.bytes"][rows],
        # A message that waited for its receive began to move when the receive was posted, on the receiver's clock.
        np.where(late_receives, arrays["hops.recv_post_ns"][rows], arrays["hops.send_begin_ns"][rows]),
        arrays["hops.recv_end_ns"][rows],
        arrays["hops.recv_post_ns"][rows],
        waited | late_receives,
        np.where(late_receives, 0, arrays["hops.clock_error_ns"][rows]),
    )


class Calls:
    """Finds the row of a rank's call of a collective in the table `calls`."""

    def __init__(self, source: Source) -> None:
        arrays = source.arrays
        ranks = [integers(source.tables[name], column) for name, column in (("hops", "src"), ("calls", "rank"))]
        self._width = 1 + int(max(column.max(initial=0) for column in ranks))
        keys = arrays["calls.collective"] * self._width + arrays["calls.rank"]
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def rows_of(self, collective: Array, rank: Array) -> Array:
        """The rows of the calls; an arbitrary row if a call is missing. collective: rows of `collectives`."""
        position = np.searchsorted(self._keys, collective * self._width + rank)
        return self._order[np.minimum(position, len(self._order) - 1)]
