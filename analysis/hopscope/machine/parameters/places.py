"""Whether a run's ranks were where a probe found their hosts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopscope.errors import shortened_list
from hopscope.format.quantities import share


def differences(hosts: Mapping[str, str], machine: dict[str, Any]) -> list[str]:
    """Where a topology and a machine file disagree, in sentences; one sentence if nowhere. hosts: the cluster of each
    host by name; clusters may be called differently."""
    found = {host["name"]: host["cluster"] for host in machine["hosts"]}
    known = [host for host in hosts if host in found]
    unknown = [host for host in hosts if host not in found]
    said: list[str] = []
    if unknown:
        said.append(f"The probe did not see {'host' if len(unknown) == 1 else 'hosts'} {shortened_list(unknown)}.")
    together = [
        (a, b, hosts[a] == hosts[b])
        for place, a in enumerate(known)
        for b in known[place + 1 :]
        if (hosts[a] == hosts[b]) != (found[a] == found[b])
    ]
    if together:
        a, b, in_trace = together[0]
        more = f" So do {len(together) - 1} other pairs of hosts." if len(together) > 1 else ""
        one, other = ("one cluster", "two") if in_trace else ("two clusters", "one")
        said.append(
            f"The trace has {a} and {b} in {one}, the probe found them in {other}; give runs the probe's topology file "
            f"with --topology.{more}"
        )
    if not said:
        certainty = machine["levels"]["cluster"]["certainty"]
        sure = "" if certainty is None else f", which the probe is {share(certainty)} sure of"
        said.append(f"The trace's hosts are in the clusters that the probe found{sure}.")
    return said
