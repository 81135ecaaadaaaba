"""Compares the replay with SimGrid's SMPI, for every algorithm of an operation, on large random machines of known
parameters.

Both get the same latencies, bandwidths and overheads. Where messages contend for an interface, they queue in the replay
and share the bandwidth in SimGrid. Machines with such interfaces are counted separately.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from hopscope.native import _plan
from hopscope.native.sequences import lay, leaves
from measure import ROOT  # also puts tools/ on the path
from simgrid import SimulatedMachine, simulated_leaves, why_not

assert ROOT and why_not
SIZES = (8, 1024, 65536, 1_048_576)
RANKS = (64, 128, 256, 512, 1024)
MOST_MESSAGES, MOST_SHARED = 10_000, 2000
"""Schedules with more messages are left out, because SimGrid would take minutes for one. MOST_SHARED is the limit where
messages share interfaces, because there SimGrid's time grows with the square of their number."""
CALLS = 3
"""Number of collectives in sequence. Each rank computes for some time before it enters one."""
OVER_TREE = {"reduce_tree": "t", "broadcast_tree": "t"}
SHAPES: tuple[dict[str, Any], ...] = (
    *({"shape": shape} for shape in ("binomial", "binary", "chain", "flat", "hierarchical")),
    {"shape": "kary", "fan_out": 4},
)
SEGMENT = 65536
ALIKE = 0.05


@dataclass(frozen=True)
class Outcome:
    """The predicted and the simulated time in ns of each rule, for one machine and operation."""

    words: str
    shares: bool
    """True if messages share interfaces."""
    times: dict[str, tuple[float, float]]

    @property
    def errors(self) -> list[float]:
        """Each simulated time's excess over the predicted one, as a share."""
        return [simulated / predicted - 1 for predicted, simulated in self.times.values()]

    @property
    def choice(self) -> str:
        """The rule with the lowest prediction."""
        return min(self.times, key=lambda name: self.times[name][0])

    @property
    def shortfall(self) -> float:
        """The choice's excess over the best simulated time, as a share."""
        return self.times[self.choice][1] / min(simulated for _, simulated in self.times.values()) - 1


def simulate_case(seed: int, folder: Path) -> Outcome:
    """Predicts and simulates the case of a seed: a machine of 2 to 4 clusters of 1 to 4 hosts each, 64 to 1,024 ranks
    and unequal links between clusters, and one operation."""
    chance = random.Random(seed)
    cluster_of = [cluster for cluster in range(chance.randint(2, 4)) for _ in range(chance.randint(1, 4))]
    hosts, ranks = len(cluster_of), chance.choice(RANKS)
    host_of = (
        sorted(rank % hosts for rank in range(ranks)) if chance.random() < 0.5 else [r % hosts for r in range(ranks)]
    )
    machine = _machine(chance, np.asarray(cluster_of))
    operation = chance.choice(("MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Barrier"))
    size = 0 if operation == "MPI_Barrier" else chance.choice(SIZES)
    gaps = np.asarray([[1000 * chance.randrange(2000) for _ in range(CALLS)] for _ in range(ranks)])
    times: dict[str, tuple[float, float]] = {}
    limit = MOST_SHARED if machine.interface_per_byte_ns else MOST_MESSAGES
    clusters, has_root = [cluster_of[host] for host in host_of], operation in ("MPI_Bcast", "MPI_Reduce")
    for name, rule, trees in _rules(operation, size):
        root, lengths = 0 if has_root else None, [size] if size else []
        try:
            schedule = lay(rule, operation, lengths, host_of, clusters, root=root, trees=trees)
        except ValueError:  # the algorithm does not run on these ranks
            continue
        if int((schedule["kind"] == _plan.SEND).sum()) > limit:
            continue
        schedule_numbers = [0] * CALLS
        predicted = leaves([schedule], host_of, machine.for_replay(), schedule_numbers, gaps).max()
        simulated = simulated_leaves(
            [schedule], host_of, machine, folder, schedule_numbers=schedule_numbers, gaps_ns=gaps
        ).max()
        times[name] = float(predicted), float(simulated)
    words = f"{seed}: {ranks} ranks, {hosts} hosts in {len(set(cluster_of))} clusters, {operation} {size} B"
    return Outcome(words, machine.interface_per_byte_ns > 0, times)


def _machine(chance: random.Random, cluster_of: np.ndarray) -> SimulatedMachine:
    clusters = int(cluster_of.max()) + 1
    base, per_byte = chance.choice((2e6, 5e6, 1e7, 2e7)), chance.choice((10.0, 50.0))
    wan = np.asarray([[base * chance.uniform(0.5, 2) for _ in range(clusters)] for _ in range(clusters)])
    rates = np.asarray([[per_byte * chance.uniform(0.5, 2) for _ in range(clusters)] for _ in range(clusters)])
    is_wan = cluster_of[:, None] != cluster_of[None, :]
    far = np.ix_(cluster_of, cluster_of)
    latency, per_byte_ns = np.where(is_wan, wan[far], 50_000.0), np.where(is_wan, rates[far], 1.0)
    np.fill_diagonal(latency, 1000.0)
    np.fill_diagonal(per_byte_ns, 0.1)
    interface = chance.choice((0.0, 10.0))
    send, receive = (1000.0 * chance.randint(0, 3) for _ in range(2))
    return SimulatedMachine(latency, per_byte_ns, interface, send, receive)


def _rules(operation: str, size: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any] | None]]:
    cut = {"segment_bytes": SEGMENT}
    for shape in SHAPES:
        name = ":".join(str(value) for value in shape.values())
        yield name, OVER_TREE, {"t": shape}
        if size > SEGMENT:
            yield f"{name} in segments", {**OVER_TREE, **cut}, {"t": shape}
    for row in _plan.algorithms():
        if row.by_tree or operation not in row.operations:
            continue
        rule = {"algorithm": row.name}
        if row.in_groups:
            for level in _plan.LEVELS:
                for exchange in _plan.BETWEEN:
                    yield f"{row.name} {level} {exchange}", {**rule, "level": level, "between": exchange}, None
        else:
            yield row.name, rule, None
            if row.cuts and size > SEGMENT:
                yield f"{row.name} in segments", {**rule, **cut}, None


def rows_of(outcomes: list[Outcome]) -> list[tuple[str, str]]:
    """The rows of the report: the distribution of the outcomes."""
    rows: list[tuple[str, str]] = []
    empty = sum(not outcome.times for outcome in outcomes)
    if empty:
        rows.append(("machines left out: every schedule has too many messages", str(empty)))
    for title, shares in (("each pair of hosts has its own link", False), ("messages share interfaces", True)):
        group = [outcome for outcome in outcomes if outcome.shares == shares and outcome.times]
        if not group:
            continue
        errors = sorted(abs(error) for outcome in group for error in outcome.errors)
        quantiles = ", ".join(f"{errors[int(share * (len(errors) - 1))]:.2g}" for share in (0.5, 0.9, 1.0))
        good = sum(outcome.shortfall <= ALIKE for outcome in group)
        shortfalls = sorted(outcome.shortfall for outcome in group)
        rows += [
            (f"{title}: machines, predictions", f"{len(group)}, {len(errors)}"),
            ("  simulated against predicted time, difference: median, 90th percentile, largest", quantiles),
            (
                f"  the fastest as predicted is within {ALIKE:.0%} of the fastest as simulated",
                f"{good} of {len(group)}",
            ),
            ("  how far behind: median, largest", f"{statistics.median(shortfalls):.1%}, {shortfalls[-1]:.1%}"),
        ]
    return rows


def line_of(outcome: Outcome) -> str:
    """A line for the report on one machine: the worst prediction, and how far the chosen rule is behind the best."""
    if not outcome.times:
        return f"{outcome.words}: every schedule has too many messages"
    worst = max(outcome.times, key=lambda name: abs(outcome.times[name][1] / outcome.times[name][0] - 1))
    predicted, simulated = outcome.times[worst]
    return (
        f"{outcome.words}{', shared' if outcome.shares else ''}: {len(outcome.times)} rules, the most off {worst} "
        f"{predicted / 1e6:.3f} against {simulated / 1e6:.3f} ms; "
        f"chosen {outcome.choice}, {outcome.shortfall:.1%} behind"
    )
