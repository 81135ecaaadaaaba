"""Notice shown over every page while the server cannot be reached, with the command that starts it again."""

import shlex
from collections.abc import Sequence
from typing import Any, Final

from dash import dcc, html
from dash.development.base_component import Component

from hopscope_dashboard.components import aria

NAME: Final = "connection"
COMMAND: Final = "connection-command"


def notice(paths: Sequence[str]) -> Component:
    """Give the notice, hidden. `assets/connection.js` shows it and adds the port of the page's address to the command.
    `paths`: the paths of the traces served."""
    command = shlex.join(["hopscope", "dashboard", *paths])
    button_attributes: Any = {"type": "button", "data-again": ""}
    return html.Div(
        html.Section(
            [
                html.H2("The dashboard's server cannot be reached"),
                html.P(
                    "It was stopped, or the connection to it is down. The page stays as it was. Start the server "
                    "again with this command; the page then reconnects by itself.",
                    className="when-away",
                ),
                html.Div(
                    [
                        html.Code(command, id=COMMAND),
                        dcc.Clipboard(target_id=COMMAND, title="Copy the command", className="copy"),
                    ],
                    className="command when-away",
                ),
                html.P("The server answers again. Loading the page again loses what you typed.", className="when-back"),
                html.Button("Load the page again", className="button", **button_attributes),
            ],
            className="card problem",
            **aria.ALERT,
        ),
        id=NAME,
        hidden=True,
    )
