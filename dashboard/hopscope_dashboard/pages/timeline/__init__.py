"""Page for the whole run over time."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.timeline import timeline

PAGES: tuple[Page, ...] = (timeline.PAGE,)
