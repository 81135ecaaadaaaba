"""The tree on the topology."""

from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.pages.tree.layout import layout

PAGE = Page(path="/tree", title="Tree", icon="tree", layout=layout)
