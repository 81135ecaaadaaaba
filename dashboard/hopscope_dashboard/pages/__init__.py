"""The pages, in the order of the menu: each of its sections (`navigation/menu.py`) has a folder, which lists its pages.
A page is a module with a `PAGE`."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import code, communication, compare, imbalance, improve, sql, timeline
from hopscope_dashboard.pages.summary import summary

_LATER_PAGES: tuple[Page, ...] = (
    *timeline.PAGES,
    *imbalance.PAGES,
    *communication.PAGES,
    *code.PAGES,
    *improve.PAGES,
    *compare.PAGES,
    *sql.PAGES,
)

PAGES: tuple[Page, ...] = (summary.page_of(_LATER_PAGES), *_LATER_PAGES)
