"""Cards of a machine file's page: hosts and clusters with their certainty, and outlying pairs of hosts."""

from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.data.trace import Machine, Row
from hopscope_dashboard.figures.matrix import matrix

HOSTS: Final = "machine-hosts"
LEVELS: Final = "machine-levels"
LATENCIES: Final = "machine-latencies"
OUTLYING: Final = "machine-outlying"

_LEVELS: Final = {"host": "hosts", "cluster": "clusters"}


def hosts(machine: Machine) -> Component:
    """Give the hosts with their clusters, the gaps in the latencies that tell them apart, and the latencies."""
    content = machine.content
    rows = [[host["name"], host["cluster"], ", ".join(map(str, host["ranks"]))] for host in content["hosts"]]
    host_card = blocks.card(
        "Hosts and clusters",
        blocks.table(["host", "cluster", "ranks"], rows, name=HOSTS),
        _levels(content),
        hint="Hosts go by their names. Clusters come from a gap in the latencies between hosts; the certainty is the "
        "share of resamples of the measured latencies that give the same answer.",
    )
    if len(content["hosts"]) == 1:
        return host_card
    return blocks.columns(host_card, _latencies(content))


def _levels(content: Row) -> Component:
    body = [
        [
            f"between {words}",
            quantities.duration(level["inside_ns"]),
            quantities.duration(level["between_ns"]),
            _factor(level),
            quantities.share(level["certainty"]),
        ]
        for name, words in _LEVELS.items()
        for level in [content["levels"][name]]
    ]
    columns = ["gap", "slowest inside", "fastest between", "factor", "certainty"]
    return blocks.table(columns, body, name=LEVELS, right=range(1, 5))


def _factor(level: Row) -> str:
    inner_ns, outer_ns = level["inside_ns"], level["between_ns"]
    return quantities.number(outer_ns / inner_ns) if inner_ns and outer_ns else quantities.MISSING


def _latencies(content: Row) -> Component:
    places = {host["name"]: host["ranks"] for host in content["hosts"]}
    rows: list[dict[str, Any]] = []
    for measurement in content["latencies"]:
        if not isinstance(measurement["one_way_ns"], str):
            sender, receiver = measurement["hosts"]
            time = measurement["one_way_ns"]["median"]
            rows += [
                {"sender": a, "receiver": b, "time": time}
                for a, b in dict.fromkeys(((sender, receiver), (receiver, sender)))
            ]
    figure = matrix(rows, places=places, value="time", unit="ns", title="one way", grouping="host", selects=False)
    return blocks.card(
        "Latencies",
        blocks.drawing("How long a byte takes one way, by host and host", figure, name=LATENCIES),
        hint="One byte, one way: half a round trip.",
    )


def outlying(machine: Machine) -> Component:
    """Give the pairs of hosts that are unlike the others of their class, each beside the pair that represents the
    class."""
    content = machine.content
    cluster_of = {host["name"]: host["cluster"] for host in content["hosts"]}
    latency = {frozenset(measurement["hosts"]): measurement["one_way_ns"] for measurement in content["latencies"]}

    def kind(link: Row) -> tuple[str, frozenset[str]]:
        ends = frozenset(cluster_of[host] for host in link["hosts"])
        return link["link"], ends if link["link"] == "wan" else frozenset()

    usual = {kind(link): link["hosts"] for link in content["links"] if not link["outlying"]}
    odd = [link for link in content["links"] if link["outlying"]]
    title = "Outlying pairs of hosts"
    if not odd:
        return empty.nothing_to_draw(title, "Every pair of hosts is like the others of its class.")
    body = [
        [
            link["link"],
            " to ".join(link["hosts"]),
            _time(latency.get(frozenset(link["hosts"]))),
            " to ".join(usual.get(kind(link), [quantities.MISSING])),
            _time(latency.get(frozenset(usual.get(kind(link), [])))),
        ]
        for link in odd
    ]
    columns = ["link", "pair", "one way", "stands for its class", "one way there"]
    return blocks.card(
        title,
        blocks.table(columns, body, name=OUTLYING, right=(2, 4)),
        hint="Their latency certainly differs by more than a quarter from that of the pair that stands for their "
        "class, so they were measured separately.",
    )


def _time(value: Any) -> blocks.Content:
    if value is None:
        return quantities.MISSING
    return html.Em(value) if isinstance(value, str) else quantities.duration(value["median"])
