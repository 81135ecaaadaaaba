"""Compares the hosts and clusters of a run with those that a probe found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.errors import shortened_list
from hopscope.format.quantities import share


def differences(hosts: Mapping[str, str], machine: dict[str, Any]) -> list[str]:
    """Sentences on the differences between a run's clusters and a machine file's; if there are none, a sentence that
    says so. hosts: the run's hosts, each with its cluster. Names of clusters may differ."""
    clusters = {host["name"]: host["cluster"] for host in machine["hosts"]}
    probed = [host for host in hosts if host in clusters]
    unknown = [host for host in hosts if host not in clusters]
    sentences: list[str] = []
    if unknown:
        sentences.append(f"The probe did not see {'host' if len(unknown) == 1 else 'hosts'} {shortened_list(unknown)}.")
    conflicts = [
        (a, b, hosts[a] == hosts[b])
        for place, a in enumerate(probed)
        for b in probed[place + 1 :]
        if (hosts[a] == hosts[b]) != (clusters[a] == clusters[b])
    ]
    if conflicts:
        a, b, in_trace = conflicts[0]
        remainder = f" So do {len(conflicts) - 1} other pairs of hosts." if len(conflicts) > 1 else ""
        trace_place, probe_place = ("one cluster", "two") if in_trace else ("two clusters", "one")
        sentences.append(
            f"The trace has {a} and {b} in {trace_place}, the probe found them in {probe_place}; give runs the "
            f"probe's topology file with --topology.{remainder}"
        )
    if not sentences:
        certainty = machine["levels"]["cluster"]["certainty"]
        sure = "" if certainty is None else f", which the probe is {share(certainty)} sure of"
        sentences.append(f"The trace's hosts are in the clusters that the probe found{sure}.")
    return sentences
