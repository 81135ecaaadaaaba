"""A pair of hosts has two directions: what the hops show of one says nothing of the other."""

from __future__ import annotations

import random
from functools import partial

import pyarrow as pa
import pytest
from hopscope.model.trees import Shape
from hopscope.probe.between import measure_between
from hopscope.remap import remap
from hopscope.remap.candidates.candidate import shapes
from hopscope.remap.fitting.fit import fit
from hopscope.remap.run.program import source_of
from simulated_network import Network, Run, SimulatedTrace, round_robin
from test_probed import Pinged

MS = 1_000_000
CHAINS = {0: [None, 0, 1], 2: [2, 0, None]}
"""Parents, by root: a sends to b and b to c, c sends to a and a to b."""
FLAT = {0: [None, 0, 0], 2: [2, 2, None]}


def one_way() -> Network:
    """Three sites. Going round takes 8 ms each, going back 40."""
    network = round_robin(3, {name: name.upper() for name in "abc"}, shm=1_000, lan=50_000, wan=8 * MS)
    network.pairs = {("a", "c"): 40 * MS, ("c", "b"): 40 * MS, ("b", "a"): 40 * MS}
    return network


def broadcasts(trees: dict[int, list[int | None]], iterations: int = 40) -> Run:
    """Bcasts from both roots in turn, each over its tree."""
    run, chance = Run(one_way(), {"shape": "flat"}), random.Random(3)
    hosts, clusters = run.network.numbers()
    for iteration in range(iterations):
        root = (0, 2)[iteration % 2]
        spec = {"shape": "explicit", "parents": trees[root]}
        run.down = Shape(spec).tree(root, broadcast=True, hosts=hosts, clusters=clusters)
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce("MPI_Bcast")
    return run


def traced(run: Run) -> SimulatedTrace:
    """The run's trace, whose trees are seen in the hops."""
    trace = run.trace()
    trace.tables["trees"] = trace.tables["trees"].slice(0, 0)
    return trace


def flat_of(table: pa.Table) -> dict[str, float]:
    return next(row for row in table.to_pylist() if row["name"] == "flat")


def test_a_direction_that_no_hop_took_is_a_guess_though_the_other_was_measured() -> None:
    """Regression: 13.2 ms (11.8 to 14.7) were promised, and took 20.3: the other direction counted as measured."""
    table = remap(traced(broadcasts(CHAINS)), search=0, algorithms="tree")
    flat, really = flat_of(table), broadcasts(FLAT).iteration_ns()
    assert flat["unmeasured_pairs"] == 2
    assert flat["predicted_low_ns"] < really < flat["predicted_high_ns"]


def test_a_ping_there_and_back_tells_the_direction_that_the_run_did_not() -> None:
    # a to c and back takes 48 ms, of which the run shows 8.
    table = remap(
        traced(broadcasts(CHAINS)),
        probe=partial(measure_between, Pinged(one_way())),
        search=0,
        algorithms="tree",
    )
    flat, really = flat_of(table), broadcasts(FLAT).iteration_ns()
    assert flat["unmeasured_pairs"] == 0
    assert flat["predicted_ns"] == pytest.approx(really, rel=0.02)


def test_a_message_that_was_there_when_it_was_needed_shows_that_its_direction_is_no_slower() -> None:
    # Each child sends at about one time, and its parent takes one after the other: it waits for the first only.
    network = round_robin(4, {name: name.upper() for name in "abcd"}, shm=1_000, lan=50_000, wan=8 * MS)
    run = Run(network, {"shape": "flat"})
    for _ in range(20):
        run.compute(lambda rank: MS - 1_000 * rank)
        run.allreduce()
    trace = run.trace()
    costs = fit(source_of(trace.table))[0]
    waited = {(row["src"], row["dst"]) for row in trace.tables["hops"].to_pylist() if row["binding"] == "recv"}
    assert costs.measured - waited == {(2, 0), (3, 0)}
    # It took 8 ms and what its parent spent on those before.
    assert costs.at_most_ns[3, 0] == pytest.approx(8 * MS, abs=20_000)


def test_candidates_name_the_directions_that_they_send_in() -> None:
    subject = source_of(traced(broadcasts(CHAINS, iterations=4)).table).subject
    flat = next(one for one in shapes(subject) if one.name == "flat")
    assert flat.host_pairs(subject) == {(0, 1), (0, 2), (2, 0), (2, 1)}
