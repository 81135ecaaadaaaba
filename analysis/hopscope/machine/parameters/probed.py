"""Reads the parameters of the published models from a machine file (schemas/machine.schema.json)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from hopscope.errors import InputError
from hopscope.format.quantities import number
from hopscope.launch.inputs import checked_file
from hopscope.machine.costs import SMALL
from hopscope.machine.eager import LATENCIES
from hopscope.machine.parameters.rows import NS_PER_BYTE, Estimate, LinkEnds, Row, row

CONTENDED = 1.25
"""Concurrent senders count as sharing an interface or a link if each surely takes more than this multiple of the time
that it takes alone."""


def read_machine(path: Path) -> dict[str, Any]:
    """The content of a machine file. Raises InputError with file, line, place and fault if it breaks its schema."""
    try:
        return checked_file(path, "machine")
    except InputError as error:
        raise InputError(f"{error}; `hopscope probe -o machine.json -- mpirun ...` writes a machine file") from error


def is_machine_file(path: Path) -> bool:
    """True if a path's name is that of a machine file, not of a trace."""
    return path.suffix == ".json" and not path.is_dir()


@dataclass(frozen=True)
class Point:
    """The measurements of one message size."""

    bytes: int
    one_way: Estimate | None
    send_overhead: Estimate | None
    receive_overhead: Estimate | None
    gaps: dict[int, Estimate]


def rows_of_machine(machine: dict[str, Any], operation: str, of_type: str) -> list[Row]:
    """Every parameter of a machine file. operation, of_type: the reduction whose time per byte is gamma; it is taken
    from the measurement with the most bytes."""
    rows: list[Row] = []
    for link in machine["links"]:
        ends = LinkEnds(link["link"], link["hosts"][0], link["hosts"][1], link["outlying"])
        points = points_of(link)
        rows += [*_hockney(ends, points), *_loggp(ends, points), *_plogp(ends, points)]
    combined = [
        (entry["bytes"], _estimate(entry["ns_per_byte"]))
        for entry in machine["combining"]
        if (entry["operation"], entry["type"]) == (operation, of_type)
    ]
    measured = [(size, value) for size, value in combined if value is not None]
    if measured:
        rows.append(row(None, None, "gamma", max(measured, key=lambda sample: sample[0])[1], unit=NS_PER_BYTE))
    return rows


def _estimate(value: dict[str, Any] | str) -> Estimate | None:
    """A value of the file as an estimate; None if it was not measured."""
    return None if isinstance(value, str) else Estimate(value["median"], value["low"], value["high"], value["count"])


def points_of(link: dict[str, Any]) -> list[Point]:
    """The measurements of an entry of `links`, by ascending size."""
    return sorted((_point_of(entry) for entry in link["sizes"]), key=lambda point: point.bytes)


def _point_of(entry: dict[str, Any]) -> Point:
    gaps = {gap["destinations"]: _estimate(gap["gap_ns"]) for gap in entry["gaps"]}
    measured = {count: value for count, value in gaps.items() if value is not None}
    one_way, sending, receiving = (
        _estimate(entry[name]) for name in ("one_way_ns", "send_overhead_ns", "receive_overhead_ns")
    )
    return Point(entry["bytes"], one_way, sending, receiving, measured)


def _hockney(ends: LinkEnds, points: Sequence[Point]) -> Iterator[Row]:
    """Rows of alpha and beta. At every measured size m, alpha(m) + m beta(m) is the measured time. If only one size was
    measured, its whole time is alpha, because it does not show the time per byte."""
    samples = [(point.bytes, point.one_way) for point in points if point.one_way is not None]
    slopes = [_slope(start, end, samples[0][1]) for start, end in pairwise(samples)]
    if not slopes:
        yield from (row(ends, "Hockney", "alpha", time, size=size) for size, time in samples)
        return
    left_slopes = [slopes[0], *slopes]
    for (size, time), left, slope in zip(samples, left_slopes, [*slopes, slopes[-1]], strict=True):
        alpha, beta = time - slope * size, _bent(left, slope)
        if alpha.value < 0:
            alpha, beta = _from_shortest(samples[0], (size, time))
        yield row(ends, "Hockney", "alpha", alpha.at_least_0(), size=size)
        yield row(ends, "Hockney", "beta", beta, size=size, unit=NS_PER_BYTE)


def _slope(start: tuple[int, Estimate], end: tuple[int, Estimate], latency: Estimate) -> Estimate:
    """Time per byte from one size to the next. If only the longer message is sent by rendezvous, the difference of the
    times contains two latencies, which are not time of bytes. So the interval begins lower by these."""
    (size, time), (next_size, next_time) = start, end
    slope = (next_time - time) * (1 / (next_size - size))
    step = (LATENCIES - 1) * latency.value / (next_size - size) if next_size > SMALL else 0.0
    return Estimate(slope.value, None if slope.low is None else slope.low - step, slope.high, slope.count).at_least_0()


def _bent(left: Estimate, right: Estimate) -> Estimate:
    """Time per byte above a size. Its interval also covers the time per byte below this size, because a step between
    two sizes, such as the latencies of a rendezvous, looks like time per byte between them. left, right: the times per
    byte below and above the size."""
    lows = [end for end in (left.low, right.low) if end is not None]
    highs = [end for end in (left.high, right.high) if end is not None]
    return Estimate(right.value, min(lows, default=None), max(highs, default=None), right.count)


def _from_shortest(first: tuple[int, Estimate], point: tuple[int, Estimate]) -> tuple[Estimate, Estimate]:
    """alpha and beta at the size of `point`, from the line between the shortest message (`first`) and this size. It
    replaces the line to the next size where times rise so steeply that alpha would be negative: over TCP, for example,
    64 KiB may take latencies that 8 KiB do not. This alpha may be too large, because it is about the shortest message's
    time, so its interval begins at 0."""
    (least_bytes, shortest), (size, time) = first, point
    whole_slope = time * (1 / size)
    beta = whole_slope if size == least_bytes else ((time - shortest) * (1 / (size - least_bytes))).at_least_0()
    if beta.value > whole_slope.value:
        beta = whole_slope
    alpha = (time - beta * size).at_least_0()
    return Estimate(alpha.value, 0.0, alpha.high, alpha.count), beta


def _plogp(ends: LinkEnds, points: Sequence[Point]) -> Iterator[Row]:
    first = points[0] if points else None
    if first is not None and first.one_way is not None and 1 in first.gaps:
        yield row(ends, "PLogP", "L", (first.one_way - first.gaps[1]).at_least_0())
    for point in points:
        for name, value in (("o_s", point.send_overhead), ("o_r", point.receive_overhead)):
            if value is not None:
                yield row(ends, "PLogP", name, value, size=point.bytes)
        for count, gap in sorted(point.gaps.items()):
            yield row(ends, "PLogP" if count == 1 else None, "g", gap, size=point.bytes, destinations=count)


def _loggp(ends: LinkEnds, points: Sequence[Point]) -> Iterator[Row]:
    """Rows of LogGP by table 1 of T. Kielmann, H. Bal, K. Verstoep, "Fast Measurement of LogP Parameters for Message
    Passing Platforms", IPDPS workshops (2000). The table's L + g(1) - o_s(1) - o_r(1) is calculated here as half a
    round trip less both overheads."""
    if not points:
        return
    first = points[0]
    one_way, sending, receiving = first.one_way, first.send_overhead, first.receive_overhead
    if one_way is None or sending is None or receiving is None or 1 not in first.gaps:
        return
    yield row(ends, "LogGP", "L", (one_way - sending - receiving).at_least_0())
    yield row(ends, "LogGP", "o", (sending + receiving) * 0.5)
    yield row(ends, "LogGP", "g", first.gaps[1])
    largest = max((point for point in points if 1 in point.gaps), key=lambda point: point.bytes)
    if largest.bytes > 1:
        yield row(ends, "LogGP", "G", largest.gaps[1] * (1 / largest.bytes), unit=NS_PER_BYTE)


def crowding(machine: dict[str, Any]) -> list[str]:
    """Sentences on how much concurrent senders slow one another down."""
    sentences: list[str] = []
    for entry in machine["contention"]:
        gaps = [(crowd["senders"], _estimate(crowd["gap_ns"])) for crowd in entry["senders"]]
        alone = next((value for count, value in gaps if count == 1), None)
        crowds = [(count, value) for count, value in gaps if count > 1 and value is not None]
        target = entry["of"]
        place = f"host {target['host']}" if "host" in target else f"clusters {target['from']} and {target['to']}"
        if alone is None or not crowds:
            sentences.append(f"Whether several senders of {place} slow one another down was not measured.")
            continue
        count, value = crowds[-1]
        share = f"{count} senders at once each take {number(value.value / alone.value)} times as long as one alone"
        low, high = value.low or 0.0, alone.high or 0.0
        contended = low > CONTENDED * high
        sentences.append(
            f"{place[0].upper()}{place[1:]}: {share}" + ("." if contended else ", so they hardly share a link.")
        )
    return sentences


def lacking(machine: dict[str, Any], operation: str, of_type: str) -> list[str]:
    """Sentences on measurements that a machine file lacks."""
    sentences: list[str] = []
    points = [size for link in machine["links"] for size in link["sizes"]]
    values = [size[name] for size in points for name in ("one_way_ns", "send_overhead_ns", "receive_overhead_ns")]
    values += [gap["gap_ns"] for size in points for gap in size["gaps"]]
    missing = sum(isinstance(reading, str) for reading in values)
    if missing:
        sentences.append(
            f"{number(missing)} of {number(len(values))} values of links were not measured, so parameters that need "
            "them are left out; `hopscope probe` with more --seconds measures more."
        )
    combinations = [
        (kind["operation"], kind["type"]) for kind in machine["combining"] if not isinstance(kind["ns_per_byte"], str)
    ]
    if (operation, of_type) not in combinations:
        choices = ", ".join(f"{op} of {type_name}" for op, type_name in dict.fromkeys(combinations))
        sentences.append(
            f"gamma is left out: no {operation} of {of_type} was measured"
            + (f"; --operation and --type choose among {choices}." if choices else ", and no other operation either.")
        )
    return sentences


def overdrawn(rows: Sequence[Row]) -> list[str]:
    """A sentence on links on which sender's and receiver's overheads together exceed a message's time; empty if there
    are no such links."""
    links = [row for row in rows if (row.model, row.parameter) == ("LogGP", "L") and row.high == 0]
    if not links:
        return []
    routes = " and ".join(f"{row.link} from {row.source} to {row.destination}" for row in links)
    return [
        f"L of LogGP is 0 on {routes}: there both overheads, which are measured after a pause, are together longer "
        "than a message takes; use L of PLogP."
    ]
