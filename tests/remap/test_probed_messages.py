"""Sizes that no hop had, and messages that meet where none met in the run, measured by a probe."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hopscope.model.link_fit import line_of
from hopscope.probe.between import DELAYS, measure_between
from hopscope.remap import MOST_PROBES, remap, sentence
from hopscope.remap.fitting.fit import fit
from hopscope.remap.fitting.probed import with_what_fits
from hopscope.remap.judging.spread import LEAST_APART, PROBED_APART
from hopscope.remap.run.program import source_of
from simulated_network import Network, Run, SimulatedTrace, round_robin
from test_unmeasured_sizes import LONG as LONGEST
from test_unmeasured_sizes import SHORT, over_a_chain

MS = 1_000_000
LONG = 1 << 20


@dataclass
class Probed:
    """Ranks of a simulated network that answer a probe. takes: what a message of so many bytes takes between two ranks;
    waits: by how much longer the second of two takes that go together, by their ranks and how much later than the other
    one it begins, as a share of what it takes. In ns."""

    network: Network
    takes: Callable[[int, int, int], float]
    waits: Callable[[tuple[tuple[int, int], ...], float], float] = lambda pairs, later: 0.0
    library: str = "none"
    asked: list[tuple[object, ...]] = field(default_factory=list[tuple[object, ...]])

    @property
    def hosts(self) -> list[str]:
        return self.network.hosts

    def measure(self, *words: object) -> dict[int, list[float]]:
        kind, size, count, delay_ns = str(words[0]), *(int(str(word)) for word in words[1:4])
        self.asked.append(words)
        pairs = tuple((int(a), int(b)) for a, b in (str(word).split(":") for word in words[4:]))
        if kind == "pingpong":
            ((a, b),) = pairs
            return {a: [2 * self.takes(a, b, size)] * count}
        assert kind == "together"
        alone = {pair: self.takes(*pair, size) + self.takes(*pair[::-1], 0) for pair in pairs}
        wait = self.waits(pairs, delay_ns / max(alone.values())) if len(pairs) > 1 else 0.0
        times: dict[int, float] = {}
        for pair, time in alone.items():
            times[pair[0]] = max(times.get(pair[0], 0.0), time + wait * (pair == pairs[-1]))
        return {rank: [time] * count for rank, time in times.items()}


def by_name(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in table.to_pylist()}


def over_a_tree(network: Network, **tree: Any) -> SimulatedTrace:
    """What carried 1 MiB, in messages of that size only."""
    run = Run(network, tree, LONG)
    for _ in range(12):
        run.compute(lambda _: MS)
        run.allreduce()
    return run.trace()


def two_sites() -> Network:
    return round_robin(2, {"a": "A", "b": "B"}, wan=30 * MS)


def latency_of(network: Network) -> Callable[[int, int, int], float]:
    """Of the network's messages all but 1 ms is due to their bytes, and a byte takes as long in any."""

    def takes(a: int, b: int, size: int) -> float:
        whole = network.latency[network.link(a, b)]
        return min(MS, whole) + max(0, whole - MS) * size / LONG

    return takes


@pytest.mark.parametrize(
    ("waits", "low", "high"),
    [
        (lambda later: 0.0, 30, 34),  # each way has a link of its own
        (lambda later: 29 * MS, 57, 60),  # there is one for both
        (lambda later: 29 * MS * (0.2 < later < 0.7), 30, 60),  # whoever comes while the other one's bytes pass, waits
    ],
)
def test_both_ways_over_a_link_are_as_the_probe_found_them(
    waits: Callable[[float], float], low: float, high: float
) -> None:
    probed = Probed(two_sites(), latency_of(two_sites()), lambda pairs, later: waits(later))
    trace = over_a_tree(two_sites(), shape="flat")
    guessed = by_name(remap(trace, search=0))["recursive-doubling"]
    table = remap(trace, search=0, probe=partial(measure_between, probed))
    doubling = by_name(table)["recursive-doubling"]
    assert (guessed["unmeasured_links"], doubling["unmeasured_links"]) == (1, 0)
    # The ends of the interval are farther out, for a hop is no ping, and two runs differ. The first case leans on no
    # probe that found something.
    apart = PROBED_APART if waits(0.5) else LEAST_APART
    ends = doubling["predicted_low_ns"] / (1 - apart), doubling["predicted_high_ns"] / (1 + apart)
    assert low * MS < ends[0] < ends[1] < high * MS
    assert ends[1] > 0.95 * (high - 3) * MS
    assert "`--probe-missing`" not in sentence(table)
    # One way alone, the other way alone, and both with each delay.
    together = [words for words in probed.asked if words[0] == "together" and len(words) > 5]
    assert len({words[3] for words in together}) == len(DELAYS)


def test_messages_between_two_clusters_wait_for_one_another_if_the_probes_did() -> None:
    network = round_robin(4, {"a0": "A", "b0": "B", "a1": "A", "b1": "B"}, lan=MS, wan=30 * MS)
    cluster = [network.cluster_of[host] for host in network.hosts]

    def waits(pairs: tuple[tuple[int, int], ...], later: float) -> float:
        """Those that cross the same way share the link."""
        ways = {(cluster[a], cluster[b]) for a, b in pairs}
        return 29 * MS if len(ways) == 1 and ("A", "A") not in ways and ("B", "B") not in ways else 0.0

    trace = over_a_tree(network, shape="chain")
    free, shares = (
        by_name(remap(trace, search=0, probe=partial(measure_between, Probed(network, latency_of(network), how))))
        for how in (lambda pairs, later: 0.0, waits)
    )
    # Two messages cross each way at once.
    assert free["recursive-doubling"]["predicted_ns"] == pytest.approx(31 * MS, rel=0.1)
    assert shares["recursive-doubling"]["predicted_ns"] == pytest.approx((31 + 29) * MS, rel=0.1)
    assert shares["recursive-doubling"]["predicted_high_ns"] < 1.2 * shares["recursive-doubling"]["predicted_ns"]
    assert all(row["unmeasured_links"] == row["unmeasured_interfaces"] == 0 for row in shares.values())
    # What ran crosses it once at a time.
    assert shares["today: drawn"]["predicted_ns"] == pytest.approx(free["today: drawn"]["predicted_ns"], rel=0.01)


def test_what_a_message_waits_for_at_an_interface_is_in_the_interval() -> None:
    network = round_robin(3, {"a": "A", "b": "A", "c": "A"}, lan=30 * MS)

    def waits(pairs: tuple[tuple[int, int], ...], later: float) -> float:
        return 10 * MS if len({pair[0] for pair in pairs}) == 1 or len({pair[1] for pair in pairs}) == 1 else 0.0

    trace = over_a_tree(network, shape="chain")
    guessed = by_name(remap(trace, search=0))["flat"]
    free, waited = (
        by_name(remap(trace, search=0, probe=partial(measure_between, Probed(network, latency_of(network), how))))
        for how in (lambda pairs, later: 0.0, waits)
    )
    assert (guessed["unmeasured_interfaces"], waited["flat"]["unmeasured_interfaces"]) == (1, 0)
    # Up and down; the root's second message each time waits for the first.
    assert free["flat"]["predicted_high_ns"] < 68 * MS
    assert 66 * MS < waited["flat"]["predicted_ns"] < 84 * MS < waited["flat"]["predicted_high_ns"]
    assert waited["flat"]["predicted_high_ns"] < guessed["predicted_high_ns"]


def test_a_size_between_far_ones_takes_what_its_ping_took() -> None:
    """A ring's blocks of 16 KiB, where 8 B take 1 ms and 64 KiB 100."""
    trace = over_a_chain(MS, 100 * MS)
    network = round_robin(4, {"h0": "A", "h1": "A"}, shm=1_000, lan=MS)
    guessed = by_name(remap(trace, search=0))["ring"]
    for block_ns in (2 * MS, 80 * MS):

        def takes(a: int, b: int, size: int, block_ns: int = block_ns) -> float:
            return MS if size <= SHORT else block_ns if size < LONGEST else 100 * MS

        probed = Probed(network, takes)
        ring = by_name(remap(trace, search=0, probe=partial(measure_between, probed)))["ring"]
        # Six messages one after another: in one iteration of 2 B, in the next of 16 KiB; of these, two at once go from
        # host to host, whose bytes queue.
        assert 0.9 * 6 * (MS + block_ns) / 2 < ring["predicted_ns"] < 1.05 * 6 * (MS + 2 * block_ns) / 2
        assert ring["unmeasured_sizes"] == 0
        assert ring["predicted_high_ns"] - ring["predicted_low_ns"] < (
            guessed["predicted_high_ns"] - guessed["predicted_low_ns"]
        )


def test_segments_are_judged_once_a_probe_tells_what_a_byte_takes() -> None:
    network = round_robin(3, {"a": "A", "b": "B", "c": "C"}, wan=30 * MS)
    trace = over_a_tree(network, shape="chain")
    before = remap(trace, search=0)
    assert "Segments, and algorithms that cut or gather messages, were not judged" in sentence(before)
    table = remap(trace, search=0, probe=partial(measure_between, Probed(network, latency_of(network))))
    assert "were not judged" not in sentence(table)
    cut = [row for row in table.to_pylist() if row["name"].startswith("pipeline, segments of ")]
    # While one link carries a segment, the other one carries the next: up and down, and not four times the whole.
    assert cut and min(row["predicted_ns"] for row in cut) < 0.7 * by_name(table)["today: drawn"]["predicted_ns"]


def test_what_comes_to_the_front_is_measured_too_but_not_for_ever() -> None:
    network = two_sites()
    asked: list[Sequence[Mapping[str, Any]]] = []

    def probe(missing: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        asked.append(missing)
        # Nothing but pairs is measured, so all else is missing again.
        return measure_between(Probed(network, latency_of(network)), [])

    remap(over_a_tree(network, shape="flat"), search=0, probe=probe)
    assert len(asked) == 1 < MOST_PROBES
    kinds = [one["kind"] for one in asked[0]]
    assert kinds == ["size", "size", "size", "meeting"]


@pytest.mark.parametrize(
    ("times", "line"),
    [
        ({1_000: 1_500.0, 3_000: 3_500.0}, (500, 1)),
        ({1_000: 1_000.0, 3_000: 6_000.0}, (0, 1)),  # the longer ones queued: a line has -1,500 ns for none
        ({1_000: 1_000.0, 3_000: 900.0}, (950, 0)),
    ],
)
def test_a_line_never_begins_below_nothing(times: dict[int, float], line: tuple[float, float]) -> None:
    """Regression: 64 KiB that queued took as long as 30,000 B, and a Bcast was promised in half its time."""
    size, time = np.asarray([*times], float), np.asarray([*times.values()])
    assert line_of(size, time) == pytest.approx(line)


@pytest.mark.parametrize(("with_sizes", "without", "kept"), [(0.04, 0.01, True), (0.5, 0.3, True), (0.5, 0.1, False)])
def test_sizes_with_which_what_ran_is_replayed_worse_are_left_out(
    with_sizes: float, without: float, kept: bool
) -> None:
    """Regression: after a probe the replay of what ran took 95.6 ms for 64, and half of that was promised."""
    trace = over_a_tree(two_sites(), shape="flat")
    source = source_of(trace.table)
    missing = [{"kind": "size", "link": "wan", "bytes": 1 << 16, "beside": LONG, "ranks": [0, 1]}]
    machine = measure_between(Probed(two_sites(), latency_of(two_sites())), missing)
    costs = with_what_fits(
        fit(source), source, machine, lambda costs: with_sizes if costs.links["wan"].off_ns else without
    )
    assert bool(costs[0].links["wan"].off_ns) == kept
