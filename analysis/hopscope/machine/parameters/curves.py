"""The time of a message as a function of its size, by each model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hopscope.machine.parameters.rows import Row, links_of, models_of
from hopscope.machine.published import Hockney, LogGP, PLogP

Quantity = Callable[[float], float]


class Curve(NamedTuple):
    """One quantity of a link as a function of the message size. sizes: in bytes. times: in ns, one for each size."""

    link: str
    source: str | None
    destination: str | None
    quantity: str
    sizes: tuple[int, ...]
    times: tuple[float, ...]


def over_sizes(rows: Sequence[Row], sizes: Sequence[int]) -> list[Curve]:
    """The curves of every link that has a model. rows: the parameters of all links."""
    curves: list[Curve] = []
    for ends in links_of(rows):
        for model in models_of(rows, ends).values():
            for quantity, curve in _quantities(model).items():
                times = tuple(curve(size) for size in sizes)
                curves.append(Curve(ends.link, ends.source, ends.destination, quantity, tuple(sizes), times))
    return curves


def _quantities(model: Hockney | LogGP | PLogP) -> dict[str, Quantity]:
    if isinstance(model, Hockney):
        return {"Hockney: \u03b1 + m\u03b2": model.message}
    if isinstance(model, LogGP):
        return {"LogGP: g + (m - 1) G": lambda size: model.g + model.bytes(size)}
    return {"PLogP: g(m)": model.g, "PLogP: o_s(m)": model.o_s, "PLogP: o_r(m)": model.o_r}
