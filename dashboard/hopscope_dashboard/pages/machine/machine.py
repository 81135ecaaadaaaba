"""Page of a machine file: what messages cost by size and link, hosts and clusters, and what was not measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from dash import html
from dash.development.base_component import Component
from hopscope.format import quantities
from hopscope.vocabulary.links import LINKS

from hopscope_dashboard.components import blocks, empty
from hopscope_dashboard.data.trace import Machine, Row, Rows
from hopscope_dashboard.navigation.frame import Section
from hopscope_dashboard.pages.machine import machine_places
from hopscope_dashboard.pages.machine.machine_messages import link_of, messages, parameters

SIZES: Final = "machine-sizes"
COMBINING: Final = "machine-combining"
CONTENTION: Final = "machine-contention"
UNMEASURED: Final = "machine-unmeasured"

TITLE: Final = "Machine"
_MOST_LINKS: Final = 9
"""Largest number of links drawn; the tables have all."""
_POINT: Final = {
    "one_way_ns": "way",
    "send_overhead_ns": "o_s",
    "receive_overhead_ns": "o_r",
}
"""Quantities measured for each size, besides gaps, with their names on the page."""


@dataclass(frozen=True)
class Entry:
    """The page as the menu sees it. It is not a `Page`, which is about a trace."""

    path: str = "/"
    title: str = TITLE
    menu_path: str = "/"


PAGE: Final = Entry()
SECTION: Final = Section(TITLE, "models", (PAGE,), is_open=True)


def layout(machine: Machine) -> Component:
    """Give the page."""
    lead = [
        "What messages cost on this machine by Hockney, LogGP and PLogP, and which hosts and clusters it has, as "
        "measured by ",
        html.Code("hopscope probe"),
        ".",
    ]
    return html.Div(
        [
            blocks.page_head(TITLE, lead),
            _probe(machine.content),
            *_links(machine),
            machine_places.hosts(machine),
            machine_places.outlying(machine),
            _contention(machine.content),
            _combining(machine.content),
            blocks.notes([*machine.notes], "What to know of these numbers"),
            _unmeasured(machine.content),
        ]
    )


def _probe(content: Row) -> Component:
    probe, levels = content["made"], content["levels"]
    clusters = len({host["cluster"] for host in content["hosts"]})
    certainty = levels["cluster"]["certainty"]
    sure = "found by the latencies" if certainty is None else f"certainty {quantities.share(certainty)}"
    spent, allowed = (quantities.duration(1e9 * probe[name]) for name in ("spent_seconds", "seconds"))
    figures = [
        ("Ranks", quantities.number(probe["ranks"]), "of the job that measured"),
        ("Hosts", quantities.number(len(content["hosts"])), "by their names"),
        ("Clusters", quantities.number(clusters), sure if len(content["hosts"]) > 1 else "there is one host"),
        ("Measured for", spent, f"of {allowed} allowed"),
    ]
    network = f", on the network of {probe['network']}" if "network" in probe else ""
    started = [html.Code(" ".join(probe["command"])), f" under {probe['library']}{network}, {probe['at']}."]
    return html.Div([blocks.key_figures(figures), blocks.note("Measured with ", *started)])


def _links(machine: Machine) -> list[Component]:
    if not machine.curves:
        return [empty.nothing_to_draw("No link was measured", "The probe had no time for it; give it more --seconds.")]
    return [_messages(machine), _by_size(machine), _of_every_size(machine.parameters)]


def _messages(machine: Machine) -> Component:
    curves = [{**curve, "link": link_of(curve)} for curve in sorted(machine.curves, key=_nearest_first)]
    links = list(dict.fromkeys(curve["link"] for curve in curves))
    drawn_curves = [curve for curve in curves if curve["link"] in links[:_MOST_LINKS]]
    remainder = f" The first {_MOST_LINKS} of {len(links)} links are drawn." if len(links) > _MOST_LINKS else ""
    return messages(drawn_curves, f"Dots are what was measured, with 95 % intervals.{remainder}")


def _by_size(machine: Machine) -> Component:
    """A table of every measured value of every link, with the alpha and beta that follow from it."""
    row_of = {
        (link_of(row), row["parameter"], row["bytes"]): row for row in machine.parameters if row["bytes"] is not None
    }
    links = sorted(machine.content["links"], key=_nearest_first)
    body: list[list[Any]] = []
    for link in links:
        place = link_of(_as_row(link))
        for size in filter(_is_measured, link["sizes"]):
            gaps = {gap["destinations"]: gap["gap_ns"] for gap in size["gaps"]}
            of_hockney = [row_of.get((place, name, size["bytes"])) for name in ("alpha", "beta")]
            body.append(
                [
                    place,
                    quantities.size(size["bytes"]),
                    _value(size["one_way_ns"]),
                    *(quantities.MISSING if row is None else _parameter(row) for row in of_hockney),
                    _value(gaps.pop(1, quantities.MISSING)),
                    _gaps_to_destinations(gaps),
                    *(_value(size[name]) for name in ("send_overhead_ns", "receive_overhead_ns")),
                ]
            )
    columns = ["link", "size", "\u03b1 + m\u03b2", "\u03b1(m)", "\u03b2(m)", "g(m)", "g(m, k)", "o_s(m)", "o_r(m)"]
    return blocks.card(
        "By size",
        blocks.table(columns, body, name=SIZES, right=range(1, len(columns)), last=(3, 4)),
        hint="With 95 % intervals. \u03b1 + m\u03b2 is half a round trip; g(m, k) is the gap towards k destinations in "
        "turn, listed as k: gap.",
    )


def _gaps_to_destinations(gaps: dict[int, Any]) -> blocks.Content:
    """Gaps by number of destinations, one under another; their intervals are tooltips."""
    lines = [
        html.Div([html.Small(f"{count}: "), html.Em(gap, className="unmeasured")])
        if isinstance(gap, str)
        else html.Div(
            [html.Small(f"{count}: "), quantities.duration(gap["median"])],
            title=quantities.interval(gap["low"], gap["high"], "ns"),
        )
        for count, gap in sorted(gaps.items())
    ]
    return lines or quantities.MISSING


def _nearest_first(link: Row) -> tuple[bool, int]:
    return link["outlying"], LINKS.index(link["link"])


def _is_measured(size: Row) -> bool:
    values = [*(size[name] for name in _POINT), *(gap["gap_ns"] for gap in size["gaps"])]
    return not all(isinstance(value, str) for value in values)


def _of_every_size(rows: Rows) -> Component:
    """The parameters that are the same for every size; gamma, which belongs to no link, comes last."""
    common_rows = [row for row in rows if row["bytes"] is None]
    of_links = sorted((row for row in common_rows if row["link"] is not None), key=_nearest_first)
    if not common_rows:
        return empty.nothing_to_draw("Parameters", "No measured parameter holds for every size.")
    return parameters([*of_links, *(row for row in common_rows if row["link"] is None)], "measured")


def _as_row(link: Row) -> Row:
    source, destination = link["hosts"]
    return {"link": link["link"], "source": source, "destination": destination, "outlying": link["outlying"]}


def _value(value: Row | str, unit: str | None = "ns") -> blocks.Content:
    if isinstance(value, str):
        return html.Em(value, className="unmeasured")
    return _with_interval(value["median"], value["low"], value["high"], unit)


def _parameter(row: Row) -> blocks.Content:
    return _with_interval(row["value"], row["low"], row["high"], row["unit"])


def _with_interval(value: float, low: float | None, high: float | None, unit: str | None) -> blocks.Content:
    # The blank separates value and interval on one line and in a saved CSV file.
    return [
        quantities.quantity(value, unit),
        " ",
        html.Small(quantities.interval(low, high, unit), className="interval"),
    ]


def _contention(content: Row) -> Component:
    rows = [
        [_sharing(entry["of"]), measurement["senders"], _value(measurement["gap_ns"])]
        for entry in content["contention"]
        for measurement in entry["senders"]
    ]
    title = "Several senders at once"
    if not rows:
        alone = "All ranks are on one host, so none share an interface or a link."
        return empty.nothing_to_draw(title, alone if len(content["hosts"]) == 1 else "Not measured.")
    sizes = quantities.in_words(sorted({quantities.size(entry["bytes"]) for entry in content["contention"]}))
    return blocks.card(
        title,
        blocks.table(["of", "senders", "gap of each"], rows, name=CONTENTION, right=(1, 2)),
        hint=f"Time between a sender's messages of {sizes}. If it grows with more senders, they share a link.",
    )


def _sharing(scope: Row) -> str:
    return f"host {scope['host']}" if "host" in scope else f"clusters {scope['from']} to {scope['to']}"


def _combining(content: Row) -> Component:
    times_of = {
        (measurement["operation"], measurement["type"], measurement["bytes"]): measurement["ns_per_byte"]
        for measurement in content["combining"]
    }
    measured_keys = {key for key, value in times_of.items() if not isinstance(value, str)}
    if not measured_keys:
        return empty.nothing_to_draw("Combining", "Not measured.")
    sizes = sorted({size for *_, size in times_of})
    rows = [
        [*key, *(_value(times_of.get((*key, size), quantities.MISSING), None) for size in sizes)]
        for key in sorted({(operation, of_type) for operation, of_type, _ in measured_keys})
    ]
    columns = ["operation", "type", *map(quantities.size, sizes)]
    return blocks.card(
        "Combining",
        blocks.table(columns, rows, name=COMBINING, right=range(2, len(columns))),
        hint="\u03b3, the time to combine one byte with another, in ns: MPI_Reduce_local on rank 0, by size.",
    )


def _unmeasured(content: Row) -> Component:
    sentences = [*_missing_of_links(content["links"]), *_missing_elsewhere(content)]
    title = "What was not measured"
    if not sentences:
        return empty.nothing_to_draw(title, "Nothing is missing: the probe measured all that it looks for.")
    return blocks.card(
        title,
        html.Ul([html.Li(sentence) for sentence in sentences], className="remarks", id=UNMEASURED),
        hint="There was no time for it, or measuring it once takes too long; raise --seconds.",
    )


def _missing_of_links(links: Rows) -> Iterator[str]:
    for link in links:
        lacks: dict[str, list[str]] = {}
        for size in link["sizes"]:
            values = {name: size[key] for key, name in _POINT.items()}
            values |= {_gap_name(gap["destinations"]): gap["gap_ns"] for gap in size["gaps"]}
            for name, value in values.items():
                if isinstance(value, str):
                    lacks.setdefault(name, []).append(quantities.size(size["bytes"]))
        if lacks:
            sizes_text = "; ".join(f"{name} of {', '.join(sizes)}" for name, sizes in lacks.items())
            yield f"{link_of(_as_row(link))}: {sizes_text}"


def _gap_name(count: int) -> str:
    return "g(m)" if count == 1 else f"g(m, {count})"


def _missing_elsewhere(content: Row) -> Iterator[str]:
    for measurement in content["latencies"]:
        if isinstance(measurement["one_way_ns"], str):
            yield f"the latency between {' and '.join(measurement['hosts'])}"
    lacks: dict[str, dict[str, list[str]]] = {}
    for measurement in content["combining"]:
        if isinstance(measurement["ns_per_byte"], str):
            of_type = lacks.setdefault(measurement["operation"], {}).setdefault(measurement["type"], [])
            of_type.append(quantities.size(measurement["bytes"]))
    for operation, types in lacks.items():
        types_text = "; ".join(f"{', '.join(sizes)} of {of_type}" for of_type, sizes in types.items())
        yield f"combining by {operation}: {types_text}"
    for entry in content["contention"]:
        counts = [
            str(measurement["senders"]) for measurement in entry["senders"] if isinstance(measurement["gap_ns"], str)
        ]
        if counts:
            yield f"{_sharing(entry['of'])}: {quantities.in_words(counts)} senders at once"
