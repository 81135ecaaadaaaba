"""tree"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/tree", title="tree", icon="list", layout=lambda data, query: html.Div("tree"))
