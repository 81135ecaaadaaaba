"""The frame of an HTML file that loads nothing and has no scripts: colours for light and dark mode, a font and a
content policy."""

from __future__ import annotations

from typing import Final

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """
:root { --paper: #fff; --ink: #1f252b; --muted: #56606b; --line: #e1e4e8; color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #1e2125; --ink: #e6e8ea; --muted: #a3acb5; --line: #343a40; } }
body { margin: 0 auto; max-width: 1080px; padding: 26px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif; overflow-wrap: anywhere; }
"""


def static_page(title: str, style: str, body: str) -> str:
    """Give the text of the file. title: already escaped. style: CSS added to the frame's own."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title} · Hopscope</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}{style}</style></head>'
        f"<body>{body}</body></html>\n"
    )
