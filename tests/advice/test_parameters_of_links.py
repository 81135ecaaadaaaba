"""Parameters of links from the MPI library's own messages. Only a message that had the link for itself shows the link's
time."""

from __future__ import annotations

import random

import pytest
from hopscope.machine.parameters import Row
from hopscope.replay.fitting.trace_parameters import fitted_of_trace, rows_of_fit
from simulated_library import LibraryRun
from simulated_network import Network

MS = 1_000_000
ALPHA, BETA = MS, 500
"""The link's latency of 1 ms, and its time per byte at 2 MB/s."""
LONG_AGO = -(10**12)


class SlowLink(LibraryRun):
    """Two ranks on hosts of two clusters, and the link between them. The link sends one message after another."""

    def __init__(self) -> None:
        super().__init__(Network(["a0", "b0"], {"a0": "A", "b0": "B"}, {"shm": 0, "lan": 0, "wan": ALPHA}))
        self.free = {(0, 1): LONG_AGO, (1, 0): LONG_AGO}

    def crosses(self, ends: tuple[int, int], sent: int, count: int) -> int:
        """The time at which a message of `count` bytes, sent at `sent`, arrives."""
        self.free[ends] = max(self.free[ends], sent) + BETA * count
        return self.free[ends] + ALPHA

    def bcast(self, count: int, delay: int = 0) -> None:
        """A broadcast whose root sends and goes on. delay: the time from the arrival until the receiver sees the
        message."""
        number, enter, self.size = len(self.rows["collectives"]), list(self.clocks), count
        arrival = self.crosses((0, 1), enter[0], count) + delay
        wait_begin = enter[1] + 100
        receive_end = max(arrival, wait_begin)
        self.record_hop(number, (0, 1), enter[0], enter[1], (wait_begin if arrival > wait_begin else None, receive_end))
        self.clocks = [enter[0] + 200, receive_end + 200]
        self.record_calls(number, enter, "MPI_Bcast", root=0)

    def announced_bcast(self, count: int) -> None:
        """A broadcast by rendezvous. The root sends an RTS; the receiver comes late and then sends its CTS; then the
        root sends the message."""
        number, enter, self.size = len(self.rows["collectives"]), list(self.clocks), count
        request_arrival = self.crosses((0, 1), enter[0], 64)
        departure = self.crosses((1, 0), max(request_arrival, enter[1]), 64)
        receive_end = self.crosses((0, 1), departure, count)
        self.record_hop(number, (0, 1), enter[0], enter[1], (enter[1] + 100, receive_end))
        self.rows["hops"][-1]["send_end_ns"] = departure
        self.clocks = [departure + 200, receive_end + 200]
        self.record_calls(number, enter, "MPI_Bcast", root=0)

    def idle(self) -> None:
        """Lets both ranks wait until the link is idle."""
        self.clocks = [max(*self.clocks, *self.free.values()) + 10 * MS] * 2


def parameters(run: SlowLink) -> tuple[dict[str, Row], list[str]]:
    """Parameters of the link in Hockney and LogGP, by name, and the reasons for missing ones."""
    fit = fitted_of_trace(run.trace().table)
    rows = [row for row in rows_of_fit(fit) if row.link == "wan" and row.model in ("Hockney", "LogGP")]
    return {row.parameter: row for row in rows if row.bytes in (None, 0)}, fit.untold


def test_what_queues_behind_others_is_not_the_link_s_own_time() -> None:
    """Regression: a root that ran ahead filled the link, so alpha was 17 to 137 ms for a link of 1 ms, with narrow
    intervals."""
    run = SlowLink()
    for _ in range(8):
        run.idle()
        for count in (500, 16_000, 16_000, 500):
            run.bcast(count)
        run.idle()
        run.bcast(16_000)
    rows, untold = parameters(run)
    assert rows["alpha"].value == pytest.approx(ALPHA, rel=0.01)
    assert rows["beta"].value == rows["G"].value == pytest.approx(BETA, rel=0.01)
    assert (rows["alpha"].low or 0) <= ALPHA <= (rows["alpha"].high or 0)
    assert untold == []


def test_where_every_message_meets_others_nothing_is_given() -> None:
    run = SlowLink()
    for _ in range(20):
        run.bcast(16_000)
    rows, untold = parameters(run)
    assert not {"alpha", "beta", "L", "G"} & set(rows)
    assert untold == [
        "alpha and L of wan links are not given: every message that a rank waited for shared its link with others."
    ]


def test_the_bytes_of_messages_of_one_size_are_not_taken_for_latency() -> None:
    """Regression: Allreduces of 2,000 bytes gave an alpha of 2.2 ms, with an interval of 1 %."""
    run = SlowLink()
    for _ in range(20):
        run.idle()
        run.bcast(2_000)
    rows, untold = parameters(run)
    assert not {"alpha", "beta", "L", "G"} & set(rows)
    assert untold == [
        "alpha and L of wan links are not given: the shortest message that crossed one alone, of 2,000 bytes, took "
        "2.00 ms, and no clearly longer message shows how much of that its bytes take."
    ]


def test_messages_as_short_as_their_headers_show_the_latency() -> None:
    run = SlowLink()
    for _ in range(20):
        run.idle()
        run.bcast(8)
    rows, untold = parameters(run)
    assert rows["alpha"].value == pytest.approx(ALPHA, rel=0.01)
    assert "beta" not in rows
    assert untold == []


def test_a_busy_machine_makes_an_interval_wide_and_no_latency_long() -> None:
    """Regression: ranks that waited for their cores saw messages of 8 bytes 6 ms after they were sent."""
    run, chance = SlowLink(), random.Random(1)
    for iteration in range(40):
        run.idle()
        run.bcast(8, delay=iteration % 5 and chance.randint(2 * MS, 9 * MS))
    alpha = parameters(run)[0]["alpha"]
    assert alpha.value == pytest.approx(ALPHA, rel=0.01)
    assert (alpha.high or 0) > 3 * ALPHA


def test_answers_to_announcements_show_the_latency() -> None:
    """Regression: when all messages went by rendezvous, three latencies and the bytes counted as one latency."""
    run = SlowLink()
    for _ in range(20):
        run.idle()
        run.clocks[1] += 5 * MS
        run.announced_bcast(65_536)
    fit = fitted_of_trace(run.trace().table)
    alphas = [row for row in rows_of_fit(fit) if row.parameter == "alpha"]
    assert alphas[0].value == pytest.approx(ALPHA + 64 * BETA, rel=0.01)
    assert (alphas[0].low or 0) < ALPHA
    # A message takes three latencies: for its RTS, for the CTS and for itself.
    assert alphas[-1].value == pytest.approx(3 * alphas[0].value)
