"""Page for the user's own queries."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.sql import sql

PAGES: tuple[Page, ...] = (sql.PAGE,)
