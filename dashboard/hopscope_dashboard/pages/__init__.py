"""The pages, in the order of the report; `menu.py` groups them. A page is a module here with a `PAGE`, listed below."""

from hopscope_dashboard.pages import (
    collective,
    collectives,
    compare,
    delayed_hops,
    efficiency,
    last_arrivals,
    late_ranks,
    messages,
    models,
    noise,
    noise_periods,
    overview,
    places,
    remap,
    sql,
    timeline,
    tree,
    wan_share,
)
from hopscope_dashboard.pages.page import Page

PAGES: tuple[Page, ...] = (
    overview.PAGE,
    timeline.PAGE,
    collectives.PAGE,
    collective.PAGE,
    messages.PAGE,
    tree.PAGE,
    wan_share.PAGE,
    remap.PAGE,
    models.PAGE,
    last_arrivals.PAGE,
    late_ranks.PAGE,
    noise.PAGE,
    noise_periods.PAGE,
    delayed_hops.PAGE,
    places.PAGE,
    efficiency.PAGE,
    compare.PAGE,
    sql.PAGE,
)
