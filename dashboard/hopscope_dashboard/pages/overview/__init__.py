"""What the trace says, in sentences."""

from hopscope_dashboard.pages.overview.layout import layout
from hopscope_dashboard.pages.page import Page

PAGE = Page(path="/", title="Overview", icon="overview", layout=layout)
