"""Pages about the program's code: call sites and regions."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.code import places, regions

PAGES: tuple[Page, ...] = (
    places.PAGE,
    regions.PAGE,
)
