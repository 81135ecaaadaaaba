"""Which rank the others waited for."""

from hopscope_dashboard.pages.last_arrivals.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/last-arrivals", title="Last arrivals", icon="arrivals", layout=layout)
