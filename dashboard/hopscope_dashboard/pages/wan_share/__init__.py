"""wan_share"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/wan-share", title="wan_share", icon="list", layout=lambda data, query: html.Div("wan_share"))
