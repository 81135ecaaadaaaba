"""The menu: the sections in their order, the pages of each, and which pages have nothing to show on a trace."""

from collections.abc import Sequence
from typing import Final

from hopscope_dashboard.data.trace import InputError, TraceData
from hopscope_dashboard.navigation.frame import Section
from hopscope_dashboard.navigation.page import Page

SECTIONS: Final = {
    "Summary": "overview",
    "Timeline": "timeline",
    "Imbalance": "late",
    "Communication": "messages",
    "Code": "place",
    "Improve": "remap",
    "Compare": "compare",
    "SQL": "data",
}
"""The sections in the order of the menu, with their icons."""


def sections(pages: Sequence[Page], current: Page | None, lacking: dict[str, str]) -> list[Section]:
    """Give the sections that list pages. `lacking` has, by address, the reason why a page has no data; such a page is
    not listed.

    The current page is listed even without data.
    """
    current_page = _menu_page(pages, current)
    pages_of = {
        name: [page for page in pages if page.section == name and (page is current_page or page.path not in lacking)]
        for name in SECTIONS
    }
    return [
        Section(name, SECTIONS[name], section_pages, is_open=current_page is not None and current_page.section == name)
        for name, section_pages in pages_of.items()
        if section_pages
    ]


def lacking(pages: Sequence[Page], data: TraceData) -> dict[str, str]:
    """Give the reasons why pages have nothing to show, by the page's address. Pages with something to show are left
    out."""
    reasons = {page.path: _reason(page, data) for page in pages if page.in_menu}
    return {path: reason for path, reason in reasons.items() if reason}


def _menu_page(pages: Sequence[Page], current: Page | None) -> Page | None:
    if current is None:
        return None
    return next((page for page in pages if page.path == current.menu_path), None)


def _reason(page: Page, data: TraceData) -> str | None:
    try:
        return page.lacks(data)
    except InputError:
        return None  # the page itself says what is wrong with the dataset
