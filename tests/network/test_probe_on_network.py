"""A probe of a network with known links."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import local_mpi
import pytest
from hopscope.launch.inputs import check_topology, schema
from hopscope.machine.parameters import models_of, rows_of_machine
from hopscope.machine.parameters.rows import LinkEnds
from networks import HOPSCOPE, topology

OPEN_MPI = [mpi for mpi in local_mpi.find() if mpi.flavour == "openmpi"]
pytestmark = [
    pytest.mark.networks,
    pytest.mark.usefixtures("machine_can"),
    pytest.mark.skipif(not OPEN_MPI, reason="no Open MPI here: the probe's job and what it measures run under it"),
]
LATENCY_NS = 5_000_000
BYTES_PER_SECOND = 4e6
"""A rate at which the relay keeps up also on a busy machine."""
SIZE = 1 << 16
FRAME, PAYLOAD = 1514, 1448
"""Bytes of a full Ethernet frame, which the relay counts, and the bytes that TCP carries in it."""


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
    # No message is faster than the link.
    assert models["Hockney"].message(1) >= 0.99 * LATENCY_NS
    report(f"certainty of the clusters: {machine['levels']['cluster']['certainty']:.1%}")
    for name, value, truth in (
        ("Hockney's message of a byte", models["Hockney"].message(1), LATENCY_NS),
        ("PLogP's L", models["PLogP"].L, LATENCY_NS),
        ("PLogP's gap for a byte", models["PLogP"].g(SIZE) / SIZE, per_byte),
    ):
        report(f"{name}: {value:,.0f} ns, the link's is {truth:,.0f}")
