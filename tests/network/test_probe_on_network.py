"""What a probe finds of a network whose links are known."""

import json
import subprocess
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import jsonschema
import local_mpi
import pytest
from hopscope.launch.inputs import check_topology, schema
from hopscope.parameters import models_of, rows_of_machine
from hopscope.parameters.rows import LinkEnds
from network_jobs import judged
from networks import HOPSCOPE, run, topology

MIX = local_mpi.ROOT / "benchmarks" / "programs" / "mix.c"
HEAT_PLATE = local_mpi.ROOT / "demo" / "heat_plate.c"
OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]
pytestmark = [
    pytest.mark.networks,
    pytest.mark.usefixtures("machine_can"),
    pytest.mark.skipif(not OPEN_MPI, reason="no Open MPI here: the probe's job and what it measures run under it"),
]
LATENCY_NS = 5_000_000
BYTES_PER_SECOND = 4e6
"""Slow enough for the relay to keep up with on a busy machine."""
SIZE = 1 << 16
FRAME, PAYLOAD = 1514, 1448
"""Bytes of a full Ethernet frame, and what TCP carries in it: the relay counts the former."""


def test_two_clusters_are_found_with_their_latency_and_bandwidth(tmp_path: Path, report: Callable[[str], None]) -> None:
    wan = {"latency_ns": LATENCY_NS, "bytes_per_second": BYTES_PER_SECOND}
    words = ["probe", "--seconds", "25", "-o", "machine.json", "--topology-out", "found.json", "--net", "sites.json"]
    topology(tmp_path, {"A": 2, "B": 2}, {"links": {"wan": wan}})
    done = subprocess.run(
        [HOPSCOPE, *words, "--", OPEN_MPI[0].launcher, "-n", "4"],
        cwd=tmp_path,
        env=local_mpi.without_hopscope(),
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    machine: dict[str, Any] = json.loads((tmp_path / "machine.json").read_text())
    jsonschema.validate(machine, schema("machine.schema.json"))

    clusters = {host["name"]: host["cluster"] for host in check_topology(tmp_path / "found.json")["hosts"]}
    assert clusters == {"a0": "A", "a1": "A", "b0": "B", "b1": "B"}

    rows = rows_of_machine(machine, "MPI_SUM", "MPI_DOUBLE")
    ends = next(LinkEnds(link["link"], *link["hosts"]) for link in machine["links"] if link["link"] == "wan")
    models = models_of(rows, ends)
    per_byte = 1e9 / BYTES_PER_SECOND * FRAME / PAYLOAD
    # Nothing is faster than the link.
    assert models["Hockney"].message(1) >= 0.99 * LATENCY_NS
    report(f"certainty of the clusters: {machine['levels']['cluster']['certainty']:.1%}")
    for name, value, truth in (
        ("Hockney's message of a byte", models["Hockney"].message(1), LATENCY_NS),
        ("PLogP's L", models["PLogP"].L, LATENCY_NS),
        ("PLogP's gap for a byte", models["PLogP"].g(SIZE) / SIZE, per_byte),
    ):
        report(f"{name}: {value:,.0f} ns, the link's is {truth:,.0f}")


def test_pairs_that_a_run_on_a_network_did_not_use_are_measured_on_it(
    tmp_path: Path, report: Callable[[str], None]
) -> None:
    """The probe ran on this machine instead, and a flat tree over three unused pairs of 40 ms was promised 25 ms in
    place of 46; it takes 90."""
    pairs = [
        {"from": a, "to": b, "latency_ns": LATENCY_NS if {a, b} in ({"A", "B"}, {"B", "C"}) else 8 * LATENCY_NS}
        for a, b in permutations("ABC", 2)
    ]
    sites = topology(tmp_path, {"A": 1, "B": 1, "C": 1}, {"cluster_pairs": pairs}, placement="block")
    program = str(OPEN_MPI[0].compile(HEAT_PLATE))
    solve = (program, "--size", "48", "--iterations", "20", "--tolerance", "0")
    job = run(tmp_path, sites, "--tree", "chain", "--", OPEN_MPI[0].launcher, "-n", "3", *solve)
    assert job.returncode == 0, job.stderr
    remap = ("remap", "trace", "--search", "0", "--algorithms", "tree")

    def flat(*words: str) -> dict[str, Any]:
        command = [HOPSCOPE, "analyze", *remap, *words, "--format", "json"]
        said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return next(row for row in json.loads(said.stdout) if row["name"] == "flat")

    guessed, measured = flat(), flat("--probe-missing", f"{OPEN_MPI[0].launcher} -n 3")
    assert guessed["unmeasured_pairs"] == 1
    assert measured["unmeasured_pairs"] == 0
    # There and back over the pair that the chain does not use.
    assert measured["predicted_ns"] > 16 * LATENCY_NS
    report(f"guessed {guessed['predicted_ns']:,.0f} ns, measured {measured['predicted_ns']:,.0f} ns")
    assert not measured["chosen"]


def test_messages_that_meet_on_a_link_are_measured_on_it(tmp_path: Path, report: Callable[[str], None]) -> None:
    """What ran crosses the link with one message at a time; that several have to share it, only a probe shows."""
    wan = {"latency_ns": 1_000_000, "bytes_per_second": 4e6}
    sites = topology(tmp_path, {"A": 2, "B": 2}, {"links": {"wan": wan}}, placement="block")
    program = str(OPEN_MPI[0].compile(MIX))
    words = ("--", OPEN_MPI[0].launcher, "-n", "4", program, "12", "500", "allreduce", str(SIZE))
    job = run(tmp_path, sites, "--tree", "chain", *words)
    assert job.returncode == 0, job.stderr

    def rows(*options: str) -> dict[str, dict[str, Any]]:
        command = [HOPSCOPE, "analyze", "remap", "trace", "--search", "0", *options, "--format", "json"]
        said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return {row["name"]: row for row in json.loads(said.stdout)}

    guessed, measured = rows(), rows("--probe-missing", f"{OPEN_MPI[0].launcher} -n 4")
    assert any(row["unmeasured_links"] and row["unmeasured_interfaces"] for row in guessed.values())
    kinds = ("pairs", "interfaces", "links", "sizes")
    gaining = [row for row in measured.values() if row["predicted_low_ns"] < row["measured_ns"]]
    assert not any(row[f"unmeasured_{kind}"] for row in gaining for kind in kinds)
    # Four messages at once each way, where the guess was that each takes no longer than one alone.
    between, alone_ns = "leaders all-to-all level=host", 1e9 * SIZE / wan["bytes_per_second"]
    for name, rows_then in (("guessed", guessed), ("measured", measured)):
        report(f"{name}: {rows_then[between]['predicted_ns'] / alone_ns:.2f} of a message alone, four share the link")
    judged(bool(gaining), "nothing seemed to gain")
