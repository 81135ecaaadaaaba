"""A parameter, its interval and what it belongs to; the models that parameters make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields

import pyarrow as pa

from hopscope.machine.published import Curve, Hockney, LogGP, PLogP

NS, NS_PER_BYTE = "ns", "ns/byte"


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, where that is known, and how many measurements it is from."""

    value: float
    low: float | None = None
    high: float | None = None
    count: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return _combined(self, other, 1.0)

    def __sub__(self, other: Estimate) -> Estimate:
        return _combined(self, other, -1.0)

    def __mul__(self, factor: float) -> Estimate:
        """By a factor that is not negative."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Estimate(self.value * factor, low, high, self.count)

    def at_least_0(self) -> Estimate:
        """Nothing takes less than no time."""
        return Estimate(
            max(0.0, self.value),
            None if self.low is None else max(0.0, self.low),
            None if self.high is None else max(0.0, self.high),
            self.count,
        )


def _combined(one: Estimate, other: Estimate, sign: float) -> Estimate:
    """The sum or the difference; its interval reaches from one extreme of both to the other."""
    ends = (other.low, other.high) if sign > 0 else (other.high, other.low)
    low = None if one.low is None or ends[0] is None else one.low + sign * ends[0]
    high = None if one.high is None or ends[1] is None else one.high + sign * ends[1]
    return Estimate(one.value + sign * other.value, low, high, min(one.count, other.count))


@dataclass(frozen=True)
class LinkEnds:
    """A class of links, or the two hosts that stand for it or differ from it."""

    link: str
    source: str | None = None
    destination: str | None = None
    outlying: bool = False


@dataclass(frozen=True)
class Row:
    """A parameter; see DESCRIPTION for the columns."""

    link: str | None
    source: str | None
    destination: str | None
    outlying: bool | None
    model: str | None
    parameter: str
    bytes: int | None
    destinations: int | None
    value: float
    unit: str
    low: float | None
    high: float | None
    count: int

    @property
    def ends(self) -> LinkEnds | None:
        """The link that it belongs to."""
        return None if self.link is None else LinkEnds(self.link, self.source, self.destination, bool(self.outlying))


def row(
    ends: LinkEnds | None,
    model: str | None,
    parameter: str,
    estimate: Estimate,
    *,
    size: int | None = None,
    destinations: int | None = None,
    unit: str = NS,
) -> Row:
    """A row for an estimate."""
    of = (None, None, None, None) if ends is None else (ends.link, ends.source, ends.destination, ends.outlying)
    numbers = (estimate.value, unit, estimate.low, estimate.high, estimate.count)
    return Row(*of, model, parameter, size, destinations, *numbers)


SCHEMA = pa.schema(
    [
        ("link", pa.string()),
        ("source", pa.string()),
        ("destination", pa.string()),
        ("outlying", pa.bool_()),
        ("model", pa.string()),
        ("parameter", pa.string()),
        ("bytes", pa.int64()),
        ("destinations", pa.int32()),
        ("value", pa.float64()),
        ("unit", pa.string()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("count", pa.int64()),
    ]
)
assert [field.name for field in fields(Row)] == SCHEMA.names


def table_of(rows: Iterable[Row]) -> pa.Table:
    """The rows as a table."""
    return pa.Table.from_pylist([asdict(each) for each in rows], schema=SCHEMA)


def links_of(rows: Iterable[Row]) -> list[LinkEnds]:
    """The links that parameters belong to, in order."""
    return list(dict.fromkeys(each.ends for each in rows if each.ends is not None))


def models_of(rows: Sequence[Row], ends: LinkEnds) -> dict[str, Hockney | LogGP | PLogP]:
    """The models of a link, by name, for the formulas (`hopscope.machine.formulas`). One whose parameters were not all
    measured is left out."""
    gamma = next((each.value for each in rows if each.parameter == "gamma"), 0.0)
    mine = [each for each in rows if each.ends == ends]

    def curve(model: str, parameter: str) -> Curve | None:
        points = sorted(
            (float(each.bytes or 0), each.value)
            for each in mine
            if (each.model, each.parameter) == (model, parameter) and each.destinations in (None, 1)
        )
        sizes, values = zip(*points, strict=True) if points else ((), ())
        return Curve(tuple(sizes), tuple(values)) if points else None

    def value(model: str, parameter: str) -> float | None:
        found = curve(model, parameter)
        return None if found is None else found.values[0]

    further = _further_gaps(mine)
    models: dict[str, Hockney | LogGP | PLogP] = {}
    alpha, beta = curve("Hockney", "alpha"), curve("Hockney", "beta")
    if alpha is not None and beta is not None:
        models["Hockney"] = Hockney(alpha, beta, gamma)
    L, o, g, G = (value("LogGP", name) for name in ("L", "o", "g", "G"))  # noqa: N806 (as published)
    if L is not None and o is not None and g is not None and G is not None:
        towards = [(count, gap.values[0], gap.values[-1] / max(1.0, gap.sizes[-1])) for count, gap in further]
        models["LogGP"] = LogGP(L, o, g, G, gamma, tuple(towards))
    latency = value("PLogP", "L")
    o_s, o_r, gap = (curve("PLogP", name) for name in ("o_s", "o_r", "g"))
    if latency is not None and o_s is not None and o_r is not None and gap is not None:
        models["PLogP"] = PLogP(latency, o_s, o_r, gap, gamma, further)
    return models


def models_by_class(rows: Sequence[Row]) -> dict[str, dict[str, Hockney | LogGP | PLogP]]:
    """The models of each class of links that has any."""
    by_class: dict[str, dict[str, Hockney | LogGP | PLogP]] = {}
    # A class as a whole comes before a pair of hosts, and one that is like the others before an outlying one.
    for ends in sorted(links_of(rows), key=lambda ends: (ends.source is not None, ends.outlying)):
        models = models_of(rows, ends)
        if models:
            by_class.setdefault(ends.link, models)
    return by_class


def _further_gaps(rows: Sequence[Row]) -> tuple[tuple[int, Curve], ...]:
    """g(m, k) of a link by k; at sizes where it was not measured, g(m)."""
    gaps = {
        (each.destinations, each.bytes): each.value
        for each in rows
        if each.parameter == "g" and each.destinations is not None and each.bytes is not None
    }
    sizes = sorted(size for count, size in gaps if count == 1)
    counts = sorted({count for count, _ in gaps if count > 1}) if sizes else []
    return tuple(
        (count, Curve(tuple(map(float, sizes)), tuple(gaps.get((count, size), gaps[1, size]) for size in sizes)))
        for count in counts
    )
