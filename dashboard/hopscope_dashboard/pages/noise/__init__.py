"""Computing that took longer than usual."""

from hopscope_dashboard.pages.noise.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/noise", title="Noise", icon="noise", layout=layout)
