"""The timeline of a run or of one collective as a canvas. Its other half is in `assets/timeline.js`, which asks the
server for what it draws."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from dash.development.base_component import Component

from hopscope_dashboard.palette import (
    CATEGORY_COLOURS,
    CATEGORY_MEANINGS,
    PATH_LINE_COLOUR,
    WAITING,
    WAITING_MEANING,
)

_COLOURS: Final = {**CATEGORY_COLOURS, "path": PATH_LINE_COLOUR}


class TimelineCanvas(Component):
    """A timeline with its legend, its controls and its contents in words. `small`: only the drawing of the whole run.

    `begin` and `end` are the range in view, in ns; by default it is the selected time or, if no time is selected, the
    whole run. What is not `selected` is shaded. `collective`: name, begin and end of the only collective to show, by
    default all of it; timelines of collectives on one page zoom together.
    """

    _namespace = "hopscope_dashboard"
    _type = "TimelineCanvas"
    _prop_names = [  # noqa: RUF012 - as in Dash
        "id", "trace", "begin", "end", "host", "order", "orders", "pins", "small", "selected",
        "collective", "colours", "meanings",
    ]  # fmt: skip
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012

    def __init__(
        self,
        id: str,
        trace: str,
        *,
        begin: int | None = None,
        end: int | None = None,
        host: str | None = None,
        order: str = "",
        orders: Mapping[str, str] | None = None,
        pins: Sequence[int] = (),
        small: bool = False,
        collective: tuple[str, int, int] | None = None,
        selected: Mapping[str, Any],
    ) -> None:
        """`trace`: identity of the trace shown. `orders`: the orders of rows that a user can choose, with their names.
        `order`: the order in use. `pins`: ranks that come first."""
        properties: dict[str, Any] = {
            "id": id,
            "trace": trace,
            "colours": _COLOURS,
            "meanings": {**CATEGORY_MEANINGS, WAITING: WAITING_MEANING},
            "begin": begin,
            "end": end,
            "host": host,
            "order": order,
            "orders": dict(orders or {}),
            "pins": list(pins),
            "small": small,
            "selected": dict(selected),
            "collective": dict(zip(("name", "from", "to"), collective, strict=True)) if collective else None,
        }
        super().__init__(**properties)
