"""collective"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/collective", title="collective", icon="list", layout=lambda data, query: html.Div("collective"))
