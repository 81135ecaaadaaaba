"""Whether noise comes with a period."""

from hopscope_dashboard.pages.noise_periods.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/noise-periods", title="Noise periods", icon="period", layout=layout)
