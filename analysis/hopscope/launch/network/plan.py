"""Plans the namespaces, addresses and links of a network, as lines of commands for `hopscope-net hold`."""

import itertools
from collections.abc import Iterator

from hopscope.launch.network.spec import Link, NetworkSpec

INTERFACE = "eth0"
"""Every host's only interface beside its loopback."""
HOSTS_FILE = "hosts"
_LEAST_BURST = 16 * 1024
_QUEUE_BYTES = 16 * 1024 * 1024


def address(host: int) -> str:
    """The IP address of the host at this position in the topology file."""
    return f"10.77.{host // 250}.{host % 250 + 1}"


def hosts_text(spec: NetworkSpec) -> str:
    """The text of /etc/hosts on every host."""
    lines = (f"{address(number)} {name}" for number, name in enumerate(spec.hosts))
    return "\n".join(["127.0.0.1 localhost", *lines, ""])


def counts_file(number: int) -> str:
    """The file in which the relay of this number counts its traffic."""
    return f"relay-{number}"


def cluster_pairs(spec: NetworkSpec) -> list[tuple[str, str]]:
    """The pair of clusters that each relay joins."""
    return list(itertools.combinations(spec.clusters, 2))


def plan(spec: NetworkSpec) -> str:
    """The lines that make one Ethernet of all hosts: a bridge in each cluster, a relay between every two bridges."""
    return "\n".join([*_spaces(spec), *_clusters(spec), *_relays(spec), *_hosts(spec), "end", ""])


def _switch(cluster: int) -> str:
    return f"cluster:{cluster}"


def _spaces(spec: NetworkSpec) -> Iterator[str]:
    yield f"hosts {HOSTS_FILE}"
    for number in range(len(spec.clusters)):
        yield f"space {_switch(number)}"
    for name in spec.hosts:
        yield f"space {name}"


def _clusters(spec: NetworkSpec) -> Iterator[str]:
    for number, cluster in enumerate(spec.clusters):
        commands = ["ip link add bridge type bridge", "ip link set bridge up"]
        for host, (name, host_cluster) in enumerate(zip(spec.hosts, spec.cluster_of, strict=True)):
            if host_cluster == cluster:
                commands += [
                    f"ip link add port{host} type veth peer name {INTERFACE} netns {{{name}}}",
                    f"ip link set port{host} master bridge up",
                    *_limit(f"port{host}", spec.interface_bytes_per_second),
                ]
        yield f"do {_switch(number)} {' && '.join(commands)}"


def _relays(spec: NetworkSpec) -> Iterator[str]:
    clusters = spec.clusters
    for number, (first, second) in enumerate(cluster_pairs(spec)):
        spaces = (_switch(clusters.index(first)), _switch(clusters.index(second)))
        devices = (f"wan{clusters.index(second)}", f"wan{clusters.index(first)}")
        ends = " ".join(f"{space} {device}" for space, device in zip(spaces, devices, strict=True))
        forward_link, return_link = (_words(spec.links[pair]) for pair in ((first, second), (second, first)))
        yield f"relay {ends} {counts_file(number)} {forward_link} {return_link}"
        for space, device in zip(spaces, devices, strict=True):
            # Isolated ports pass no packets on to one another, so that no packet circles among three clusters.
            yield (
                f"do {space} ip link set {device} master bridge up && "
                f"bridge link set dev {device} isolated on && ip link set {device} txqueuelen 10000"
            )


def _words(link: Link) -> str:
    lists = (",".join(map(str, values)) for values in (link.latencies_ns, link.bytes_per_second))
    return f"{' '.join(lists)} {link.step_ns}"


def _hosts(spec: NetworkSpec) -> Iterator[str]:
    for number, name in enumerate(spec.hosts):
        commands = [
            "ip link set lo up",
            f"ip address add {address(number)}/16 dev {INTERFACE}",
            f"ip link set {INTERFACE} up",
            *_limit(INTERFACE, spec.interface_bytes_per_second),
        ]
        yield f"do {name} {' && '.join(commands)}"


def _limit(device: str, bytes_per_second: float | None) -> list[str]:
    """Commands that limit the rate of a device, which is one end of a host's cable."""
    if bytes_per_second is None:
        return []
    burst = max(_LEAST_BURST, round(bytes_per_second / 250))
    bits = round(bytes_per_second * 8)
    return [f"tc qdisc add dev {device} root tbf rate {bits}bit burst {burst} limit {_QUEUE_BYTES}"]
