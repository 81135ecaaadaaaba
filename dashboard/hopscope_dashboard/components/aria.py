"""Attributes for readers who hear a page instead of seeing it, in the form that Dash components take."""

from typing import Any, Final

HIDDEN: Final[dict[str, Any]] = {"aria-hidden": "true"}
"""For ornaments: the words beside them say all."""

DISABLED: Final[dict[str, Any]] = {"aria-disabled": "true"}
"""For a control that leads nowhere just now."""

ALERT: Final[dict[str, Any]] = {"role": "alert"}
"""For what must be read out as soon as it is there."""


def label(text: str) -> dict[str, Any]:
    """Give the name of what has no text of its own."""
    return {"aria-label": text}
