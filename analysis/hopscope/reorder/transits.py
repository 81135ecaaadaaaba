"""What each message of a run takes, today and in another order.

A message takes what it took, or what the cost of its pair of hosts says where no rank waited for it. Between other
hosts it takes less by the share that it costs less there, or more by what it costs more.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc

from hopscope.links import LINKS
from hopscope.paths.columns import Array, integers
from hopscope.remap.run.program import SEND, WAIT
from hopscope.reorder.costs import DRAWS, LARGE, HostCosts, last_of_each_call
from hopscope.reorder.leaders import roles
from hopscope.reorder.places import Places
from hopscope.reorder.queues import under_way
from hopscope.reorder.whole_run import WholeRun

_BOTH = "messages", "hops"
BUSY = 0.25
"""Messages hold one another up on a link that takes at least this share of their time for all their bytes. Where it was
0.11 to 0.19, fewer messages took as long; from 0.37 on, they took less time, one for one."""


class Transits:
    """What each of a program's messages takes, today and between its new hosts."""

    def __init__(
        self, run: WholeRun, costs: HostCosts, places: Places, moves: tuple[Array, Array], link_byte_ns: Array | None
    ) -> None:
        """moves: the new host of each rank, and the rows of hops that follow the hosts; link_byte_ns: see `queues`."""
        place, led = moves
        self._costs = costs
        self._beside, none = 1.0, np.zeros_like(costs.per_byte_ns)
        self._shared_ns = none, none, none
        self._link = places.classes()
        row = run.program["message"]
        is_hop = row < 0
        of_message, of_hop = row[~is_hop], -1 - row[is_hop]
        order = np.argsort(places.ranks)

        def joined(message: Array, hop: Array) -> Array:
            result = np.zeros(len(row), np.result_type(message, hop))
            result[~is_hop], result[is_hop] = message[of_message], hop[of_hop]
            return result

        tables, arrays = run.tables, run.arrays
        ends = [
            order[np.searchsorted(places.ranks[order], joined(*(integers(tables[of], end) for of in _BOTH)))]
            for end in ("src", "dst")
        ]
        size = joined(*(arrays[f"{of}.bytes"] for of in _BOTH)).astype(np.float64)
        self._now = places.today[ends[0]], places.today[ends[1]]
        follows = joined(np.zeros(len(tables["messages"]), bool), led)
        role = roles(places, place)
        self._then = tuple(np.where(follows, role[now], place[end]) for now, end in zip(self._now, ends, strict=True))
        self._size = self._load_now = self._load_then = size
        self.today = self._took(run, is_hop, of_message, of_hop)
        # A message that moves only when its receive is posted holds the receiver while it does.
        late = joined(*(pc.equal(tables[of]["binding"], "send").to_numpy() for of in _BOTH))
        waits, ref = run.program["op"] == WAIT, run.program["ref"]
        lane = np.repeat(np.arange(len(run.program["host"])), np.diff(run.program["first_op"]))
        receiver = order[np.searchsorted(places.ranks[order], run.arrays["lanes.rank"][lane[waits]])]
        self._held = np.flatnonzero(waits)[late[ref[waits]] & (receiver == ends[1][ref[waits]])]
        self._holds = ref[self._held]
        self.hold = run.program["hold_ns"].astype(np.float64)
        of_hops = is_hop[self._holds]
        self.hold[self._held[of_hops]] = self.today[self._holds[of_hops]]
        if link_byte_ns is not None:
            sent = joined(*(arrays[f"{of}.send_begin_ns"] for of in _BOTH))
            # A rendezvous has two rows here and goes over its link once.
            _, first, again = np.unique(row, return_index=True, return_inverse=True)

            def under_way_at(ends: tuple[Array, ...], transit: Array) -> Array:
                took, takes = np.zeros((2, len(first)))
                stays = self._link[self._now] == self._link[ends]
                np.maximum.at(took, again, np.where(stays, self.today, 0))
                np.maximum.at(takes, again, transit)
                return under_way(places.ways(*ends)[first], sent[first], took, takes, size[first])[again]

            self._load_now = under_way_at(self._now, self.today)
            self._load_then = under_way_at(self._then, self.today)
            self._price_loads(link_byte_ns, places)
            # What goes faster is gone sooner. Of what comes over a slower link now, only those before it are seen: what
            # follows will follow later.
            self._load_then = under_way_at(self._then, self.moved(None)[0])

    def _price_loads(self, link_byte_ns: Array, places: Places) -> None:
        """What a byte takes for each that is under way with it: at the least, as expected and at the most.

        Its cost was fitted from messages that shared their links. At the most, all of it is one part for each of
        those. At the least, it is what the link takes for a byte, and the rest is the message's own; or nothing if
        the link could pass them all in a small share of the time that they took. What was not measured counts half of
        the next slower class, as it does there.
        """
        costs, wan, size = self._costs, len(LINKS) - 1, self._size
        if not costs.several_sizes[wan]:
            return
        mine = (self._link[self._now] == wan) & (size > 0)
        large = mine & (size >= LARGE * size[mine].max(initial=0))
        self._beside = float(np.median(self._load_now[large] / size[large])) if large.any() else 1.0
        every = np.arange(len(places.hosts))
        way = places.ways(every[:, None], every[None, :])
        link, most = np.where(way >= 0, link_byte_ns[way], 0.0), costs.per_byte_ns / self._beside
        for near in range(wan - 1, -1, -1):
            at = self._link == near
            if costs.several_sizes[near]:
                most[self._link <= near] = 0.0
                break
            link[at] = link_byte_ns.max() / 2 ** (wan - near)
        least = np.where(link >= BUSY * most, np.minimum(link, most), 0.0)
        may = np.where(least > 0, most, np.minimum(link, most))
        self._shared_ns = least, np.where(least > 0, (least + may) / 2, 0.0), may

    def _took(self, run: WholeRun, is_hop: Array, of_message: Array, of_hop: Array) -> Array:
        """What each took: as it was if its end is its own, else no more than it costs."""
        program, arrays = run.program, run.arrays
        typical = self._price(self._now, self._load_now, None)
        sender = np.zeros(len(is_hop), np.int64)
        lane = np.repeat(np.arange(len(program["host"])), np.diff(program["first_op"]))
        sent = program["op"] == SEND
        sender[program["ref"][sent]] = lane[sent]
        took, exact = program["transit_ns"].astype(np.float64), np.zeros(len(is_hop), bool)
        messages, hops = run.tables["messages"], run.tables["hops"]
        forward = sender[~is_hop] == arrays["messages.src_lane"][of_message]
        own, own_send = np.zeros(len(messages), bool), np.zeros(len(messages), bool)
        received, done = last_of_each_call(messages)
        own[received], own_send[done] = True, True
        own &= pc.equal(messages["binding"], "recv").to_numpy()
        is_own = forward & own[of_message]
        exact[~is_hop] = np.where(forward, is_own, own_send[of_message])
        took[~is_hop] = np.where(
            is_own,
            arrays["messages.recv_end_ns"][of_message] - arrays["messages.send_begin_ns"][of_message],
            took[~is_hop],
        )
        waited = pc.equal(hops["binding"], "recv").to_numpy()[of_hop]
        exact[is_hop] = waited
        took[is_hop] = np.where(
            waited, arrays["hops.recv_end_ns"][of_hop] - arrays["hops.send_begin_ns"][of_hop], typical[is_hop]
        )
        return np.maximum(0, np.where(exact, took, np.minimum(took, typical)))

    def moved(self, draw: int | None) -> tuple[Array, Array]:
        """What each takes in the new order, and for how long each holds its receiver there, with the costs of a
        resample or, without one, the fitted ones."""
        before = self._price(self._now, self._load_now, draw)
        after = self._price(self._then, self._load_then, draw)
        share = np.divide(after, before, out=np.ones_like(after), where=before > 0)

        def changed(took: Array, of: Array | slice) -> Array:
            return np.where(after[of] < before[of], took * share[of], took + after[of] - before[of])

        hold = self.hold.copy()
        lasted = hold[self._held]
        hold[self._held] = np.where(lasted > 0, changed(lasted, self._holds), 0)
        return changed(self.today, slice(None)), hold

    def _price(self, ends: tuple[Array, ...], load: Array, draw: int | None) -> Array:
        costs = self._costs
        latency, each, (least, shared, most) = costs.latency_ns, costs.per_byte_ns, self._shared_ns
        if draw is not None:
            latency = latency * costs.latency_factors[self._link, draw]
            factor = costs.byte_factors[self._link, draw]
            # Resamples go evenly from the least to the most.
            each, shared = each * factor, (least + (most - least) * draw / (DRAWS - 1)) * factor
        own = each - self._beside * shared
        return latency[ends] + self._size * own[ends] + load * shared[ends]
