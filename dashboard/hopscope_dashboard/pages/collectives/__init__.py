"""collectives"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/collectives", title="collectives", icon="list", layout=lambda data, query: html.Div("collectives"))
