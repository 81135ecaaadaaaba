"""The menu: which pages stand together, in which order, and which of them have nothing to show on a trace."""

from collections.abc import Sequence
from typing import Final

from hopscope_dashboard.data import InputError, TraceData
from hopscope_dashboard.pages.page import Page

GROUPS: Final = (
    "Overview", "Timeline", "Collectives", "Messages", "Trees", "Lateness", "Places", "Efficiency", "Compare", "Data",
)  # fmt: skip
"""The groups in the order of the menu. A page that names no group is one by itself, under its title."""


def groups(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    """Give the groups that have pages, each with its pages in their order. Groups that are not listed come last."""
    found: dict[str, list[Page]] = {name: [] for name in GROUPS}
    for page in pages:
        if page.in_menu:
            found.setdefault(page.group or page.title, []).append(page)
    return [(name, listed) for name, listed in found.items() if listed]


def lacking(pages: Sequence[Page], data: TraceData) -> dict[str, str]:
    """Give why pages have nothing to show, by their addresses; pages that have something are left out."""
    reasons = {page.path: _reason(page, data) for page in pages if page.in_menu}
    return {path: reason for path, reason in reasons.items() if reason}


def _reason(page: Page, data: TraceData) -> str | None:
    try:
        return page.lacks(data)
    except InputError:
        return None  # the page itself says what is wrong with the dataset
