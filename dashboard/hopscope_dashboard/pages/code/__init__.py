"""Places and regions of the program."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.code import places, regions

PAGES: tuple[Page, ...] = (
    places.PAGE,
    regions.PAGE,
)
