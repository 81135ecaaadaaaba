"""The list of collectives, worst or most usual first, which leads to the timeline of one."""

from hopscope_dashboard.pages.collectives.callbacks import register
from hopscope_dashboard.pages.collectives.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/collectives", title="Collectives", icon="list", layout=layout, register=register)
