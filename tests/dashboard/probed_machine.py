"""Machine files of a simulated machine: two ranks on each of six hosts in two clusters. The hosts of one pair are far
apart."""

import json
from pathlib import Path

from hopscope.machine.probe import Budget, Prober, machine_content
from simulated_machine import SimulatedLink, SimulatedMachine

HOSTS = {"a0": "A", "a1": "A", "a2": "A", "b0": "B", "b1": "B", "b2": "B"}
ODD = SimulatedLink(60_000, 3_000, 5_000, 2.0)
"""The link of one pair of hosts, with three times the latency of the others of its cluster."""


def probed(file: Path, seconds: float) -> Path:
    """The machine file of a probe with this time limit."""
    ranks = [host for host in HOSTS for _ in range(2)]
    machine = SimulatedMachine(ranks, HOSTS, odd={frozenset(("a0", "a1")): ODD})
    measured = Prober(machine, Budget(seconds, machine.clock)).run()
    provenance = {
        "at": "2026-01-01T00:00:00+00:00",
        "command": ["mpirun", "-n", "12"],
        "library": "Some MPI",
        "ranks": 12,
    }
    file.write_text(json.dumps(machine_content(measured, {**provenance, "seconds": seconds})))
    return file
