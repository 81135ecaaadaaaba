"""Parameters of the published models, each with its interval and link, and the models that parameters form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from hopscope.machine.published import Curve, Hockney, LogGP, PLogP
from hopscope.query import catalog, row_table

NS, NS_PER_BYTE = "ns", "ns/byte"


@dataclass(frozen=True)
class Estimate:
    """A value, its interval if that is known, and the number of measurements."""

    value: float
    low: float | None = None
    high: float | None = None
    count: int = 0

    def __add__(self, operand: Estimate) -> Estimate:
        return _combined(self, operand, 1.0)

    def __sub__(self, operand: Estimate) -> Estimate:
        return _combined(self, operand, -1.0)

    def __mul__(self, factor: float) -> Estimate:
        """The product with a factor of 0 or more."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Estimate(self.value * factor, low, high, self.count)

    def at_least_0(self) -> Estimate:
        """The estimate, with 0 in place of negative values."""
        return Estimate(
            max(0.0, self.value),
            None if self.low is None else max(0.0, self.low),
            None if self.high is None else max(0.0, self.high),
            self.count,
        )


def _combined(left: Estimate, right: Estimate, sign: float) -> Estimate:
    """The sum (sign 1) or difference (sign -1) of two estimates. Its interval covers the results for all values within
    their intervals."""
    ends = (right.low, right.high) if sign > 0 else (right.high, right.low)
    low = None if left.low is None or ends[0] is None else left.low + sign * ends[0]
    high = None if left.high is None or ends[1] is None else left.high + sign * ends[1]
    return Estimate(left.value + sign * right.value, low, high, min(left.count, right.count))


@dataclass(frozen=True)
class LinkEnds:
    """The link of a parameter. link: its class. source, destination: the measured hosts; None for the class as a whole.
    outlying: True if their latency differs from the usual one of the class."""

    link: str
    source: str | None = None
    destination: str | None = None
    outlying: bool = False


@dataclass(frozen=True)
class Row:
    """A parameter as a row of `analyze model`; sql/computed/model.sql describes the columns."""

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
        """The parameter's link; None for gamma."""
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
    """Makes the row of a parameter from its estimate."""
    link_columns = (
        (None, None, None, None) if ends is None else (ends.link, ends.source, ends.destination, ends.outlying)
    )
    numbers = (estimate.value, unit, estimate.low, estimate.high, estimate.count)
    return Row(*link_columns, model, parameter, size, destinations, *numbers)


def table_of(rows: Iterable[Row]) -> pa.Table:
    """The rows as a table with the columns of `analyze model`."""
    return row_table.table_of(catalog.load().computed["model"].default.columns, map(asdict, rows))


def links_of(rows: Iterable[Row]) -> list[LinkEnds]:
    """The links of these parameters, in the order of their first rows."""
    return list(dict.fromkeys(entry.ends for entry in rows if entry.ends is not None))


def models_of(rows: Sequence[Row], ends: LinkEnds) -> dict[str, Hockney | LogGP | PLogP]:
    """The models of a link by name, for the formulas (`hopscope.machine.formulas`). A model without all its parameters
    is left out."""
    gamma = next((entry.value for entry in rows if entry.parameter == "gamma"), 0.0)
    link_rows = [entry for entry in rows if entry.ends == ends]

    def curve(model: str, parameter: str) -> Curve | None:
        points = sorted(
            (float(entry.bytes or 0), entry.value)
            for entry in link_rows
            if (entry.model, entry.parameter) == (model, parameter) and entry.destinations in (None, 1)
        )
        sizes, values = zip(*points, strict=True) if points else ((), ())
        return Curve(tuple(sizes), tuple(values)) if points else None

    def value(model: str, parameter: str) -> float | None:
        samples = curve(model, parameter)
        return None if samples is None else samples.values[0]

    further = _further_gaps(link_rows)
    models: dict[str, Hockney | LogGP | PLogP] = {}
    alpha, beta = curve("Hockney", "alpha"), curve("Hockney", "beta")
    if alpha is not None and beta is not None:
        models["Hockney"] = Hockney(alpha, beta, gamma)
    L, o, g, G = (value("LogGP", name) for name in ("L", "o", "g", "G"))  # noqa: N806 (as published)
    if L is not None and o is not None and g is not None and G is not None:
        gaps = [(count, gap.values[0], gap.values[-1] / max(1.0, gap.sizes[-1])) for count, gap in further]
        models["LogGP"] = LogGP(L, o, g, G, gamma, tuple(gaps))
    latency = value("PLogP", "L")
    o_s, o_r, gap = (curve("PLogP", name) for name in ("o_s", "o_r", "g"))
    if latency is not None and o_s is not None and o_r is not None and gap is not None:
        models["PLogP"] = PLogP(latency, o_s, o_r, gap, gamma, further)
    return models


def models_by_class(rows: Sequence[Row]) -> dict[str, dict[str, Hockney | LogGP | PLogP]]:
    """The models of each class of links, without classes that have none."""
    by_class: dict[str, dict[str, Hockney | LogGP | PLogP]] = {}
    # If a class has models for several links, use the class as a whole, else a usual pair of hosts, else an outlying
    # pair.
    for ends in sorted(links_of(rows), key=lambda ends: (ends.source is not None, ends.outlying)):
        models = models_of(rows, ends)
        if models:
            by_class.setdefault(ends.link, models)
    return by_class


def _further_gaps(rows: Sequence[Row]) -> tuple[tuple[int, Curve], ...]:
    """The gaps of a link towards several destinations: pairs of their number k and the curve g(m, k). At sizes at which
    g(m, k) was not measured, it is g(m)."""
    gaps = {
        (entry.destinations, entry.bytes): entry.value
        for entry in rows
        if entry.parameter == "g" and entry.destinations is not None and entry.bytes is not None
    }
    sizes = sorted(size for count, size in gaps if count == 1)
    counts = sorted({count for count, _ in gaps if count > 1}) if sizes else []
    return tuple(
        (count, Curve(tuple(map(float, sizes)), tuple(gaps.get((count, size), gaps[1, size]) for size in sizes)))
        for count in counts
    )
