"""remap"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/remap", title="remap", icon="list", layout=lambda data, query: html.Div("remap"))
