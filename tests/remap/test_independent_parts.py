"""Parts whose ranks wait for none of the others: what shortens only their own iterations is worth a rule, too."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hopscope.algorithms.rules import read_rules, rules_for
from hopscope.remap import remap, sentence, suggest_setting
from hopscope.tuning.offered import Library, Offered
from simulated_library import LibraryRun
from simulated_network import Network, SimulatedTrace, round_robin, table_of

MS = 1_000_000
LIBRARY = Library(
    "openmpi",
    "4.1.4",
    "mpirun",
    [
        Offered(operation, name, number, f"coll_tuned_{operation}_algorithm")
        for operation, names in (("allreduce", ("basic_linear",)), ("alltoall", ("linear", "pairwise")))
        for number, name in enumerate(names, 1)
    ],
    {},
)


def ran(network: Network, op: str, iterations: int) -> LibraryRun:
    run, chance = LibraryRun(network, op=op), random.Random(3)
    for _ in range(iterations):
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce()
    return run


def beside_one_another(runs: list[LibraryRun]) -> SimulatedTrace:
    """One trace of runs that start together and do not know of each other, each on a communicator of its own."""
    collectives = sorted(
        (
            (row["first_enter_ns"], comm, number)
            for comm, run in enumerate(runs)
            for number, row in enumerate(run.rows["collectives"])
        )
    )
    numbered = {key[1:]: number for number, key in enumerate(collectives)}
    rows: dict[str, list[dict[str, Any]]] = {}
    first = 0
    comms: list[dict[str, Any]] = []
    for comm, run in enumerate(runs):
        for name in ("collectives", "calls", "hops"):
            for row in run.rows[name]:
                changed = {
                    key: row[key] + first
                    for key in ("rank", "location", "src", "dst", "src_location", "dst_location")
                    if key in row
                }
                changed["collective_id"] = numbered[comm, row["collective_id"]]
                rows.setdefault(name, []).append({**row, **changed, **({"comm": comm} if "comm" in row else {})})
        members = list(range(first, first + run.ranks))
        comms.append({"comm": comm, "name": f"half {comm}", "size": run.ranks, "members": members})
        first += run.ranks
    hosts = [host for run in runs for host in run.network.hosts]
    clusters = {host: cluster for run in runs for host, cluster in run.network.cluster_of.items()}
    whole = LibraryRun(Network(hosts, clusters, runs[0].network.latency))
    whole.rows |= rows
    whole.now = [now for run in runs for now in run.now]
    trace = whole.trace()
    trace.tables["comms"] = table_of("comms", comms)
    return trace


def halves(alltoalls: int) -> SimulatedTrace:
    """Two ranks that can do no better, and eight that are dealt over the two sites and double."""
    pair = Network(["a", "b"], {"a": "A", "b": "B"}, {"shm": 1_000, "lan": 50_000, "wan": 20 * MS})
    dealt = round_robin(8, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=20 * MS)
    return beside_one_another([ran(pair, "MPI_Allreduce", 120), ran(dealt, "MPI_Alltoall", alltoalls)])


@pytest.fixture
def trace() -> SimulatedTrace:
    """Halves that both run for two seconds."""
    return halves(35)


def test_a_setting_that_shortens_only_its_own_ranks_iterations_is_suggested(
    trace: SimulatedTrace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggest_setting, "installed", lambda *_: LIBRARY)
    table = remap(trace, tmp_path / "rules", library="openmpi")
    first = table.to_pylist()[0]
    assert (first["name"], first["chosen"]) == ("linear for MPI_Alltoall of 1 B on 8 ranks", True), sentence(table)
    # By the pair's iterations nothing is gained, which used to be all that counted.
    assert first["gain"] == pytest.approx(0, abs=0.001)
    assert "shortens only the iterations of its own ranks, by 6" in sentence(table)
    rules = read_rules((tmp_path / "rules").read_text())
    assert [rule.algorithm for rule in rules_for(rules, "alltoall", 8, 8)] == [1]
    assert list(rules) == ["alltoall"]


def test_a_tree_that_shortens_only_its_own_ranks_iterations_is_suggested(trace: SimulatedTrace) -> None:
    table = remap(trace, search=0)
    first = table.to_pylist()[0]
    assert first["chosen"] and first["operation"] == "MPI_Alltoall", sentence(table)
    assert "shortens only the iterations of its own ranks, by 6" in sentence(table)


def test_of_those_that_gain_only_by_themselves_the_one_that_gains_most_is_suggested(trace: SimulatedTrace) -> None:
    rows = [row for row in remap(trace, search=0).to_pylist() if row["operation"] == "MPI_Alltoall"]
    assert len(rows) > 1 and rows[0]["wan_crossings"] == min(row["wan_crossings"] for row in rows)


def test_what_ran_seldom_shows_no_iterations_of_its_own() -> None:
    """Regression: a Reduce that ran twice was suggested, for a gain below 0.1 %."""
    table = remap(halves(8), search=0)
    assert not any(table["chosen"].to_pylist()), sentence(table)
