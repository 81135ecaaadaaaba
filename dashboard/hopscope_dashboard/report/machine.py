"""The report of a machine file: its page of the dashboard as one file, with the style and scripts of that page."""

import json
from html import escape
from pathlib import Path
from typing import Final

from plotly.offline import get_plotlyjs

from hopscope_dashboard.data.trace import Machine
from hopscope_dashboard.figures.style import CONFIG
from hopscope_dashboard.pages.machine import machine as machine_page
from hopscope_dashboard.palette import FONT, MONO_FONT
from hopscope_dashboard.report.static import Renderer

_ASSETS: Final = Path(__file__).parents[1] / "assets"
_OWN_STYLE: Final = """
:root { --mantine-font-family-monospace: %s; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 26px; font-family: %s; line-height: 1.5; }
.figure { width: 100%%; min-width: 0; }
footer { color: var(--muted); font-size: 13px; padding-top: 24px; }
@media print { body { background: white; padding: 0; } .card { break-inside: avoid; }
  .table-frame, .graph-frame { max-height: none; } .tree { min-width: 0 !important; }
  .told, .exports { display: none; } }
"""
_POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
"""The file contains all it needs: under this policy a browser contacts no server, whatever the user clicks."""
_DRAW: Final = f"""
for (const described of document.querySelectorAll("script[data-figure]")) {{
  const figure = JSON.parse(described.textContent);
  Plotly.newPlot(described.dataset.figure, figure.data, figure.layout, {json.dumps(CONFIG)});
}}
"""


def machine_document(machine: Machine, version: str) -> str:
    """Give the report of a machine file: the only page of its dashboard."""
    content = Renderer().markup(machine_page.layout(machine))
    style = (_ASSETS / "hopscope.css").read_text(encoding="utf-8") + _OWN_STYLE % (MONO_FONT, FONT)
    exports_script = (_ASSETS / "exports.js").read_text(encoding="utf-8")
    scripts = "".join(f"<script>{script}</script>" for script in (_DRAW, exports_script))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(machine.name)} · Hopscope</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style><script>{get_plotlyjs()}</script></head><body>"
        f"<main>{content}</main>"
        f"<footer>{escape(machine.name)}. Made by Hopscope {version}.</footer>{scripts}</body></html>\n"
    )
