"""The timeline of one collective."""

from hopscope_dashboard.pages.collective.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/collective", title="Timeline of a collective", icon="timeline", layout=layout, under="/collectives")
