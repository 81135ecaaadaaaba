"""How each rank is late."""

from hopscope_dashboard.pages.late_ranks.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/late-ranks", title="Late ranks", icon="late", layout=layout)
