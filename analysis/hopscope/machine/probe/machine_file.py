"""Makes the content of a probe's files: the machine file (schemas/machine.schema.json) and the topology file."""

from __future__ import annotations

from typing import Any

from hopscope.machine.probe.measuring import CROWD_BYTES, Crowd, Measured, Point
from hopscope.machine.probe.places import Places
from hopscope.machine.probe.sampling import Value

NOT_MEASURED = "not measured"
_DIGITS = 4


def topology_content(places: Places) -> dict[str, Any]:
    """The content of a topology file for jobs on the probed hosts."""
    names = places.cluster_names()
    cluster_of_host = places.clusters.of_host
    return {
        "schema_version": 1,
        "hosts": [
            {"name": host.name, "cluster": names[cluster]}
            for host, cluster in zip(places.hosts, cluster_of_host, strict=True)
        ],
    }


def machine_content(measured: Measured, origin: dict[str, Any]) -> dict[str, Any]:
    """The content of a machine file. origin: its entry `made`, without the spent time."""
    places = measured.places
    names, cluster_of_host = places.cluster_names(), places.clusters.of_host
    host_latencies = [value.value for (a, b), value in places.one_way.items() if a == b]
    link_latencies = [value.value for (a, b), value in places.one_way.items() if a != b]
    hosts, clusters = places.hosts, places.clusters
    has_links = len(hosts) > 1
    host_of = {rank: host.name for host in hosts for rank in host.ranks}
    return {
        "schema_version": 1,
        "made": origin | {"spent_seconds": round(measured.spent_seconds, 1)},
        "hosts": [
            {"name": host.name, "cluster": names[cluster], "ranks": list(host.ranks)}
            for host, cluster in zip(hosts, cluster_of_host, strict=True)
        ],
        "levels": {
            "host": _level(max(host_latencies, default=None), min(link_latencies, default=None), measured.hosts_apart),
            "cluster": _level(clusters.inside_ns, clusters.between_ns, clusters.certainty if has_links else None),
        },
        "latencies": [
            {"hosts": [hosts[a].name, hosts[b].name], "link": places.kind((a, b)), "one_way_ns": entry_of(value)}
            for (a, b), value in sorted(places.one_way.items())
        ],
        "links": [
            {
                "link": link.kind,
                "hosts": [host_of[rank] for rank in link.ranks],
                "ranks": list(link.ranks),
                "outlying": link.outlying,
                "sizes": [_point(points[size]) for size in sorted(points)],
            }
            for link, points in measured.points.items()
        ],
        "combining": [
            {"operation": operation, "type": of_type, "bytes": size, "ns_per_byte": entry_of(value)}
            for (operation, of_type, size), value in sorted(measured.combines.items())
        ],
        "contention": [_crowd(crowd, places) for crowd in measured.crowds],
    }


def entry_of(value: Value | None) -> dict[str, Any] | str:
    """The form of a value in a machine file; NOT_MEASURED for None."""
    if value is None:
        return NOT_MEASURED
    # The value or its interval may be below 0, if it is a difference of noisy times.
    median, low, high = (max(0.0, round(number, _DIGITS)) for number in (value.value, value.low, value.high))
    return {"median": median, "low": low, "high": high, "count": value.count}


def _level(inside_ns: float | None, between_ns: float | None, certainty: float | None) -> dict[str, Any]:
    return {"inside_ns": inside_ns, "between_ns": between_ns, "certainty": certainty}


def _point(point: Point) -> dict[str, Any]:
    return {
        "bytes": point.bytes,
        "one_way_ns": entry_of(point.one_way),
        "send_overhead_ns": entry_of(point.send_overhead),
        "receive_overhead_ns": entry_of(point.receive_overhead),
        "gaps": [{"destinations": count, "gap_ns": entry_of(value)} for count, value in sorted(point.gaps.items())],
    }


def _crowd(crowd: Crowd, places: Places) -> dict[str, Any]:
    clusters = places.cluster_names()
    if crowd.kind == "interface":
        target = {"host": places.hosts[crowd.ends[0]].name}
    else:
        target = {"from": clusters[crowd.ends[0]], "to": clusters[crowd.ends[1]]}
    senders = [{"senders": count, "gap_ns": entry_of(value)} for count, value in sorted(crowd.gaps.items())]
    return {"of": target, "bytes": CROWD_BYTES, "senders": senders}
