"""Which tree would be better, by how much, and its file."""

from hopscope_dashboard.pages.page import Page
from hopscope_dashboard.pages.remap.callbacks import register
from hopscope_dashboard.pages.remap.layout import layout

PAGE = Page(path="/remap", title="Remap", icon="remap", layout=layout, register=register)
