"""The network that a topology file specifies (schemas/topology.schema.json)."""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopscope.errors import InputError
from hopscope.launch.inputs import check_topology

_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
MOST_HOSTS = 10_000


@dataclass(frozen=True)
class Link:
    """One direction of the link between two clusters. Each list has one value, or values that apply one after
    another."""

    latencies_ns: tuple[float, ...] = (0,)
    bytes_per_second: tuple[float, ...] = (0,)
    """Bandwidths; 0 means as fast as the machine."""
    step_ns: int = 0
    """The time for which a value of a list holds; 0: the first value holds for ever."""


@dataclass(frozen=True)
class NetworkSpec:
    """Hosts, clusters and the links between them."""

    file: Path
    hosts: tuple[str, ...]
    cluster_of: tuple[str, ...]
    """Cluster of each host."""
    placement: str
    """The placement of ranks on the hosts: `block` or `round-robin`."""
    interface_bytes_per_second: float | None
    links: Mapping[tuple[str, str], Link]
    """Links of every directed pair of clusters."""

    @property
    def clusters(self) -> list[str]:
        """The clusters in the order of the file."""
        return list(dict.fromkeys(self.cluster_of))


def read_network(path: Path) -> NetworkSpec:
    """The network that a topology file describes. Raises InputError if there is none, or if it cannot be made."""
    content = check_topology(path)
    network = cast("dict[str, Any] | None", content.get("network"))
    if network is None:
        raise InputError(
            f"{path} has no `network`; add one, such as "
            '{"links": {"wan": {"latency_ns": 20000000}}}, or use the file with --topology'
        )
    if "emulate" in content:
        raise InputError(f"{path}: `network` and `emulate` exclude one another; keep one of them")
    hosts = cast("list[dict[str, str]]", content["hosts"])
    names = tuple(host["name"] for host in hosts)
    for name in names:
        namesakes = [host_name for host_name in names if host_name.lower() == name.lower()]
        if len(namesakes) > 1 or name.lower() == "localhost":
            raise InputError(
                f"{path}: a launcher could not tell the hosts "
                f"{' and '.join(dict.fromkeys([*namesakes, 'localhost'][:2]))} apart; give each host a name of its own"
            )
        if not _HOST_NAME.fullmatch(name):
            raise InputError(
                f"{path}: {name!r} cannot be the name of a host in a network; use letters, digits and inner hyphens, "
                "at most 63"
            )
    if any("match" in host for host in hosts):
        raise InputError(f"{path}: hosts of a network have the names in the file; remove `match`")
    if len(names) > MOST_HOSTS:
        raise InputError(f"{path} has {len(names)} hosts; a network takes at most {MOST_HOSTS}")
    placement = content.get("placement", "by-hostname")
    if placement == "listed":
        raise InputError(
            f'{path}: the launcher places the ranks of a network, and it cannot use the placement "listed"; use '
            '"block" or "round-robin"'
        )
    cluster_of = tuple(host["cluster"] for host in hosts)
    return NetworkSpec(
        file=path.resolve(),
        hosts=names,
        cluster_of=cluster_of,
        placement="round-robin" if placement == "round-robin" else "block",
        interface_bytes_per_second=network.get("host_interface", {}).get("bytes_per_second"),
        links=_links(path, network, list(dict.fromkeys(cluster_of))),
    )


def _links(path: Path, network: dict[str, Any], clusters: list[str]) -> dict[tuple[str, str], Link]:
    wan: dict[str, Any] = network.get("links", {}).get("wan", {})
    settings = {pair: dict(wan) for pair in itertools.permutations(clusters, 2)}
    visited: set[tuple[str, str]] = set()
    for index, pair in enumerate(network.get("cluster_pairs", [])):
        ends = (pair["from"], pair["to"])
        if ends not in settings:
            raise InputError(
                f"{path}: at $.network.cluster_pairs[{index}]: {ends[0]!r} to {ends[1]!r} is not a pair of two of the "
                f"clusters {', '.join(clusters)}"
            )
        if ends in visited:
            raise InputError(
                f"{path}: at $.network.cluster_pairs[{index}]: {ends[0]} to {ends[1]} is listed twice; list each "
                "pair once"
            )
        visited.add(ends)
        for value, trace in (("latency_ns", "latency_trace_ns"), ("bytes_per_second", "bytes_per_second_trace")):
            if value in pair and trace not in pair:
                settings[ends].pop(trace, None)
        settings[ends] |= {key: value for key, value in pair.items() if key not in ("from", "to")}
    return {pair: _link(setting) for pair, setting in settings.items()}


def _link(setting: Mapping[str, Any]) -> Link:
    return Link(
        latencies_ns=tuple(setting.get("latency_trace_ns", [setting.get("latency_ns", 0)])),
        bytes_per_second=tuple(setting.get("bytes_per_second_trace", [setting.get("bytes_per_second", 0)])),
        step_ns=setting.get("trace_step_ns", 0),
    )
