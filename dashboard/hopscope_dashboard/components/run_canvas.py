"""The run's timeline as a canvas; its other half is in `assets/timeline.js`, which asks for what it draws."""

from typing import Any

from dash.development.base_component import Component


class RunCanvas(Component):
    """A timeline with its legend, its controls and the same in words; `small`: only the picture of the whole run."""

    _namespace = "hopscope_dashboard"
    _type = "RunCanvas"
    _prop_names = ["id", "begin", "end", "host", "small", "colours", "meanings"]  # noqa: RUF012 - Dash has it so
    _valid_wildcard_attributes: list[str] = []  # noqa: RUF012

    def __init__(
        self,
        id: str,
        colours: dict[str, str],
        meanings: dict[str, str],
        *,
        begin: int | None = None,
        end: int | None = None,
        host: str | None = None,
        small: bool = False,
    ) -> None:
        given: dict[str, Any] = {
            "id": id,
            "colours": colours,
            "meanings": meanings,
            "begin": begin,
            "end": end,
            "host": host,
            "small": small,
        }
        super().__init__(**given)
