"""Asks an application in this process what a browser would ask: its pages, its menu, and the answers of its
callbacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import dash_ag_grid
import dash_mantine_components
from dash import Dash, dcc, html
from dash.development.base_component import Component
from drawn_page import components, text
from hopscope_dashboard.components.drawing import Drawing
from served import QUESTIONS, page_question

_LIBRARIES = {
    "dash_html_components": html,
    "dash_core_components": dcc,
    "dash_mantine_components": dash_mantine_components,
    "dash_ag_grid": dash_ag_grid,
}


@dataclass(frozen=True)
class AskedPage:
    """The parts of a page that a browser gets for an address."""

    content: Any
    menu: Any
    title: str

    @property
    def links(self) -> dict[str, str]:
        """Addresses of the menu's entries, by their text."""
        entries = [part for part in components(self.menu) if getattr(part, "href", None)]
        return {text(entry.children[1]): entry.href for entry in entries}


class AskedApp:
    """Gives the answers that the application's server would give."""

    def __init__(self, app: Dash) -> None:
        self.client = app.server.test_client()

    def page(self, address: str, *, follows_selection: bool = True) -> AskedPage:
        """The page at an address. The page of a machine file follows no selection."""
        parts = urlsplit(address)
        question = page_question(parts.path, f"?{parts.query}" if parts.query else "")
        if not follows_selection:
            question["inputs"] = question["inputs"][:1]
        while True:
            answer = self.ask(question)["response"]
            content = components_of(answer["content"]["children"])
            if not any(getattr(part, "id", None) == "working-tick" for part in components(content)):
                menu = components_of(answer["menu"]["children"])
                return AskedPage(content, menu, answer["page-title"]["data"].partition("\n")[0])

    def answer(
        self, output: str, inputs: dict[str, Any], state: dict[str, Any] | None = None, *, changed: str
    ) -> dict[str, Any]:
        """The answer of a callback. output, inputs and state: properties such as `sql-result.children`. changed: the
        property that the browser changed."""

        def properties(values: dict[str, Any]) -> list[dict[str, Any]]:
            parts = [(*name.split("."), value) for name, value in values.items()]
            return [{"id": part, "property": prop, "value": value} for part, prop, value in parts]

        outputs = [
            {"id": part, "property": prop}
            for part, prop in (name.split(".") for name in output.strip(".").split("..."))
        ]
        return self.ask(
            {
                "output": output,
                "outputs": outputs if output.startswith("..") else outputs[0],
                "inputs": properties(inputs),
                "state": properties(state or {}),
                "changedPropIds": [changed],
            }
        )

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request that a browser posts."""
        answer = self.client.post(QUESTIONS, json=question)
        assert answer.status_code == 200, answer.text
        return dict(answer.get_json())


def components_of(answer: Any) -> Any:
    """The components of an answer."""
    if isinstance(answer, list):
        return [components_of(part) for part in answer]
    if not isinstance(answer, dict) or "namespace" not in answer:
        return answer
    props = {name: components_of(value) for name, value in answer["props"].items()}
    if answer["namespace"] not in _LIBRARIES:
        return Drawing(props["markup"], props["id"]) if answer["type"] == "Drawing" else html.Div(props.get("children"))
    component: Component = getattr(_LIBRARIES[answer["namespace"]], answer["type"])(**props)
    return component
