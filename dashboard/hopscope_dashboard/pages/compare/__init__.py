"""Page Compare: two runs beside each other."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.compare import compare

PAGES: tuple[Page, ...] = (compare.PAGE,)
