"""The pages, in the order of the menu. A page is a module here with a `PAGE`; a new one is added to this list."""

from hopscope_dashboard.pages import (
    collective,
    collectives,
    delayed_hops,
    efficiency,
    last_arrivals,
    late_ranks,
    messages,
    noise,
    noise_periods,
    overview,
    remap,
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
    delayed_hops.PAGE,
    last_arrivals.PAGE,
    late_ranks.PAGE,
    noise.PAGE,
    noise_periods.PAGE,
    efficiency.PAGE,
    wan_share.PAGE,
    remap.PAGE,
)
