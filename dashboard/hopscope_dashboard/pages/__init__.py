"""The pages, in the order of the menu."""

from hopscope_dashboard.pages import collective, collectives, last_arrivals, noise, overview, remap, tree, wan_share
from hopscope_dashboard.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    collectives.PAGE,
    collective.PAGE,
    tree.PAGE,
    last_arrivals.PAGE,
    noise.PAGE,
    wan_share.PAGE,
    remap.PAGE,
)
