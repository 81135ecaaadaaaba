"""noise"""
from dash import html
from hopscope_dashboard.pages.page import Page
PAGE = Page(path="/noise", title="noise", icon="list", layout=lambda data, query: html.Div("noise"))
