"""Dash's components as plain markup, without the parts that need a server.

Links to other pages become plain text, figures are drawn by plotly.js from JSON beside them, and controls (choices,
lists, buttons) are left out.
"""

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any, Final, cast

from dash.development.base_component import Component

from hopscope_dashboard.components import exports
from hopscope_dashboard.figures.graphs.svg import without_leads
from hopscope_dashboard.navigation import leads

_VOID: Final = {"br", "hr", "img"}
_CONTROLS: Final = {"Clipboard", "Store", "Download", "Select", "Button", "Location"}
_CONTROL_CLASSES: Final = {"choice", "button", "selects", "selection", "select-it", "whole-run"}
_FRAMES: Final = {"Loading", "AfterTimeline"}
"""Components of which only the content is in the report."""
_ATTRIBUTES: Final = {"className": "class", "colSpan": "colspan", "rowSpan": "rowspan", "htmlFor": "for"}
_COPIED_ATTRIBUTES: Final = re.compile(r"id|title|role|className|colSpan|rowSpan|htmlFor|aria-[a-z]+")


class Renderer:
    """Renders one document."""

    def __init__(self) -> None:
        self._figures = 0

    def markup(self, content: Any) -> str:
        """Give the markup of a component, of text, or of a list of both."""
        if isinstance(content, list | tuple):
            return "".join(self.markup(item) for item in content)
        if not isinstance(content, Component):
            return "" if content is None else escape(str(content), quote=False)
        described = cast("dict[str, Any]", content.to_plotly_json())
        kind, properties = described["type"], described["props"]
        classes = set(str(properties.get("className") or "").split())
        if "data-save" in properties:
            return exports.button_markup(properties["data-save"])  # a link to rows too: there is no server
        if kind in _CONTROLS or classes & _CONTROL_CLASSES:
            return ""
        if kind in _FRAMES:
            return self.markup(properties.get("children"))
        special = {"Graph": self._figure, "Drawing": _drawing, "Link": self._link}.get(kind)
        return special(properties) if special else self._element(kind.lower(), properties)

    def _element(self, tag: str, properties: Mapping[str, Any]) -> str:
        attributes = "".join(
            f' {_ATTRIBUTES.get(name, name)}="{escape(str(value))}"'
            for name, value in properties.items()
            if _COPIED_ATTRIBUTES.fullmatch(name) and value not in (None, "") and not isinstance(value, dict)
        )
        if properties.get("style"):
            attributes += f' style="{escape(_css(properties["style"]))}"'
        if "data-href" in properties:
            return self.markup(properties.get("children"))
        if tag in _VOID:
            return f"<{tag}{attributes}>"
        return f"<{tag}{attributes}>{self.markup(properties.get('children'))}</{tag}>"

    def _link(self, properties: Mapping[str, Any]) -> str:
        return f"<span>{self.markup(properties.get('children'))}</span>"

    def _figure(self, properties: Mapping[str, Any]) -> str:
        self._figures += 1
        name = f"figure-{self._figures}"
        figure = properties["figure"]
        described = _without_leads(figure) if hasattr(figure, "to_json") else json.dumps(figure)
        json_text = described.replace("<", "\\u003c")  # otherwise a text could end the script element
        return (
            f'<div id="{name}" class="figure" style="{escape(_css(properties.get("style") or {}))}"></div>'
            f'<script type="application/json" data-figure="{name}">{json_text}</script>'
        )


def _without_leads(figure: Any) -> str:
    """Returns a figure as JSON, without links and hints at them, because a report has no other page."""
    for trace in figure.data:
        if trace.customdata is not None:
            trace.update(customdata=None, hovertemplate=leads.text_without_click(trace.hovertemplate))
    return str(figure.update_layout(meta=None).to_json())


def _drawing(properties: Mapping[str, Any]) -> str:
    return f'<div class="drawing">{without_leads(properties["markup"])}</div>'


def _css(style: Mapping[str, Any]) -> str:
    """Turns a style of Dash into CSS: `maskImage` becomes mask-image, and a plain number is in pixels."""
    return "; ".join(f"{_property(name)}: {_length(name, value)}" for name, value in style.items() if value is not None)


def _property(name: str) -> str:
    return name if name.startswith("--") else re.sub(r"([A-Z])", lambda match: "-" + match[1].lower(), name)


def _length(name: str, value: Any) -> str:
    unitless = name.startswith("--") or name in ("flex", "opacity", "zIndex", "fontWeight", "lineHeight")
    return str(value) if unitless or not isinstance(value, int | float) else f"{value}px"
