"""How far single delayed hops moved the end."""

from hopscope_dashboard.pages.delayed_hops.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/delayed-hops", title="Delayed hops", icon="delay", layout=layout)
