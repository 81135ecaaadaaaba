"""Attributes for readers who hear a page instead of seeing it, in the form that Dash components take."""

from typing import Any, Final

HIDDEN: Final[dict[str, Any]] = {"aria-hidden": "true"}
"""For ornaments: the words beside them say all."""

DISABLED: Final[dict[str, Any]] = {"aria-disabled": "true"}
"""For a control that leads nowhere just now."""

ALERT: Final[dict[str, Any]] = {"role": "alert"}
"""For text that must be read out at once."""


def label(text: str) -> dict[str, Any]:
    """Name an element without text."""
    return {"aria-label": text}
