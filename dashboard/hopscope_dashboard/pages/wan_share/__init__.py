"""How much of the way through the collectives is spent between clusters."""

from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.pages.wan_share.layout import layout

PAGE = Page(path="/wan-share", title="WAN share", icon="wan", layout=layout)
