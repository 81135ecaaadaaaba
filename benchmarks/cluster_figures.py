"""Compares figures of the published multi-cluster study with those that the analyses find in our runs, as a table's
rows.

The study: Bongo, Bjørndalen and Anshus, 2004, EventSpace on five clusters. Where a figure of ours differs by more than
a quarter, a sentence gives the reason.
"""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Row = tuple[str, ...]

COLUMNS = ("figure", "published", "ours", "ours / published", "why they differ")
QUARTER = 0.25
NOISE = {1: 15_000 / 15_000, 5: 359 / 15_000, 10: 223 / 15_000, 30: 41 / 15_000}
"""By a number of ms: the published share of iterations in which any rank had more noise than that."""
ARRIVALS = (0.69, 0.23)
"""The two largest shares that one cluster has of the last arrivals at the root."""
FAR, NEAR_SHARE = (87, 89), 58
"""WAN shares in percent: the lowest and the highest of the three far clusters, and that of the near cluster. The root's
cluster has 0."""
SOR_SIZE, ITERATIONS = 1_380, {"frosty": 5_403, "tridiagonal": 1_737, "random": 273}
"""Iterations that red-black SOR (successive over-relaxation) takes on a square grid of SOR_SIZE points a side, by data
set."""

_SOR_REASONS = {
    "frosty": "The study did not publish its relaxation factor.",
    "tridiagonal": "The study defined neither data nor relaxation factor; no factor gives its count on our data.",
    "random": "In 273 iterations a value travels over 546 of 1,380 points, too few for random data to settle.",
}


@dataclass(frozen=True)
class Figure:
    """A published figure and the measured one, in one unit."""

    name: str
    published: float
    measured: float
    unit: str
    """The format of a value, such as `{:.2f}x`."""
    reason: str
    """A sentence on why the two may differ."""
    published_text: str = ""
    """The published figure in words, where it is more than a number."""

    @property
    def ratio(self) -> float | None:
        """The measured figure as a multiple of the published one; None if the published one is 0."""
        return self.measured / self.published if self.published else None

    def row(self) -> Row:
        """The row of the table."""
        agrees = self.measured == 0 if self.ratio is None else abs(self.ratio - 1) <= QUARTER
        ratio = ("same" if agrees else "-") if self.ratio is None else f"{self.ratio:.2f}"
        published = self.published_text or self.unit.format(self.published)
        return (f"  {self.name}", published, self.unit.format(self.measured), ratio, "" if agrees else self.reason)


@dataclass(frozen=True)
class Study:
    """Results of the analyses of our runs of the study."""

    noise: Mapping[int, float]
    """By a number of ms: the share of iterations in which any rank had more noise than that."""
    arrivals: Mapping[str, float]
    """The share of the last arrivals at the root, by the sender's cluster."""
    wan_shares: Mapping[str, float]
    """WAN shares by cluster."""
    root_cluster: str
    near_cluster: str
    """The cluster that is nearest to the root's."""
    exchange_gain: float
    """The time of an iteration over the sequential tree, divided by the time over the tree `leaders`."""
    even_exchange_gain: float
    """Ratio as in `exchange_gain`, for the Allreduce alone, with clusters equally far apart."""
    send_spread_ms: float
    """The difference between the longest and the shortest time of one leader's messages in the exchange."""
    bytes_an_event: float
    ns_an_event: float
    events_a_call: float
    """Events of all ranks for each call."""
    sor_iterations: Mapping[str, float]
    """Iterations divided by the number of points on a side, by data set. The number of iterations grows with the
    side."""

    def by_arrivals(self) -> list[str]:
        """The clusters; the one that is last most often comes first."""
        return sorted(self.arrivals, key=lambda cluster: -self.arrivals[cluster])

    def far_clusters(self) -> list[str]:
        """All clusters except the root's and the one that is nearest to it."""
        return sorted(set(self.wan_shares) - {self.root_cluster, self.near_cluster})


def rows(study: Study) -> list[Row]:
    """The table, in the order of the study."""
    return [figure.row() for figure in figures(study)] + _orders(study)


def figures(study: Study) -> Iterator[Figure]:
    """Compares every published figure that our runs also measure."""
    yield from _noise(study)
    yield from _arrivals(study)
    yield from _wan_shares(study)
    yield from _trees(study)
    yield from _events(study)
    yield from _sor(study)


def _noise(study: Study) -> Iterator[Figure]:
    reason = "Ranks sort for a hundredth of the time, so short noise is rarer; they share cores, so long noise occurs."
    for least_ms, published in NOISE.items():
        name = f"iterations with more than {least_ms} ms of noise on any rank"
        text = f"{100 * published:.1f} % ({15_000 * published:,.0f} of 15,000)"
        yield Figure(name, 100 * published, 100 * study.noise[least_ms], "{:.1f} %", reason, text)


def _arrivals(study: Study) -> Iterator[Figure]:
    reason = "Last arrivals follow the latencies of the topology file, and the study did not publish its own."
    for place, (published, cluster) in enumerate(zip(ARRIVALS, study.by_arrivals(), strict=False)):
        name = f"last arrivals at the root, {('most', 'second')[place]} often from one cluster (here {cluster})"
        yield Figure(name, 100 * published, 100 * study.arrivals[cluster], "{:.0f} %", reason)


def _wan_shares(study: Study) -> Iterator[Figure]:
    reason = "The rest of the path is software and sharing of cores, which take another part of the time here."
    far = ("a far cluster", statistics.mean(FAR), "{:.0f} to {:.0f} %".format(*FAR))
    kinds = {
        **dict.fromkeys(study.far_clusters(), far),
        study.near_cluster: ("the near cluster", NEAR_SHARE, ""),
        study.root_cluster: ("the root's cluster", 0, ""),
    }
    for cluster, (kind, published, text) in kinds.items():
        name = f"WAN share of {kind} ({cluster})"
        yield Figure(name, published, 100 * study.wan_shares[cluster], "{:.0f} %", reason, text)


def _trees(study: Study) -> Iterator[Figure]:
    reason = "The gain depends on how much of an iteration is computing."
    name = "gain of an exchange between leaders over the sequential tree"
    yield Figure(f"{name}, an iteration", 1.1, study.exchange_gain, "{:.2f}x", reason, "1.1x expected")
    measured = "The study, too, expected more than it measured."
    yield Figure(f"{name}, the same", 1412 / 1474, study.exchange_gain, "{:.2f}x", measured, "0.96x measured")
    even = "an Allreduce between clusters that are equally far apart"
    yield Figure(f"{name}, {even}", 2.0, study.even_exchange_gain, "{:.2f}x", reason)
    reason = "It depends on the topology file, and on how soon a receiver that shares its core notices a message."
    yield Figure("spread of one host's sends in the exchange", 30, study.send_spread_ms, "{:.0f} ms", reason)


def _events(study: Study) -> Iterator[Figure]:
    yield Figure(
        "bytes an event",
        36,
        study.bytes_an_event,
        "{:.1f} B",
        "OTF2 packs what an event has, where EventSpace keeps records of one length.",
    )
    yield Figure(
        "time an event takes",
        500,
        study.ns_an_event,
        "{:.0f} ns",
        "Processors are faster, and an event is one record in memory of the rank's own.",
    )
    yield Figure(
        "events an Allreduce, all ranks",
        148,
        study.events_a_call,
        "{:.0f}",
        "A message has four events here, a call four and a local step two; EventSpace has two for each wrapper.",
    )


def _sor(study: Study) -> Iterator[Figure]:
    for data, published in ITERATIONS.items():
        name, text = f"red-black SOR, {data}: iterations for each point of a side", f"{published:,} / {SOR_SIZE:,}"
        measured, reason = study.sor_iterations[data], _SOR_REASONS[data]
        yield Figure(name, published / SOR_SIZE, measured, "{:.2f}", reason, f"{published / SOR_SIZE:.2f} ({text})")


def _orders(study: Study) -> list[Row]:
    """Comparisons that must have the same outcome as in the study, whatever the times are."""
    first = study.by_arrivals()[0]
    zero_clusters = [cluster for cluster, share in study.wan_shares.items() if not share]
    orders = {
        "last most often: a cluster far from the root": (first, first in study.far_clusters()),
        "WAN share of 0: the root's cluster alone": (", ".join(zero_clusters), zero_clusters == [study.root_cluster]),
        "the exchange wins where it was expected to": ("leaders", study.even_exchange_gain > study.exchange_gain > 1),
    }
    return [
        (f"  {name}", "yes", cluster, "same" if agrees else "differs", "") for name, (cluster, agrees) in orders.items()
    ]
