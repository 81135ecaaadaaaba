"""last_arrivals"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/last-arrivals", title="last_arrivals", icon="list", layout=lambda data, query: html.Div("last_arrivals"))
