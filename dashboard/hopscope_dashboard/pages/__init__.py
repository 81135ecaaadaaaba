"""The pages, in the order of the menu; `menu.py` groups them. A page is a module here with a `PAGE`, listed below."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages import (
    by_rank,
    collective,
    collectives,
    compare,
    critical_path,
    decision_map,
    delayed_hops,
    efficiency,
    improve,
    last_arrivals,
    late_ranks,
    messages,
    noise,
    places,
    regions,
    remap,
    sql,
    summary,
    timeline,
    tree,
    wan_share,
)

_LATER_PAGES: tuple[Page, ...] = (
    timeline.PAGE,
    by_rank.PAGE,
    last_arrivals.PAGE,
    late_ranks.PAGE,
    noise.PAGE,
    efficiency.PAGE,
    critical_path.PAGE,
    collectives.PAGE,
    collective.PAGE,
    messages.PAGE,
    tree.PAGE,
    wan_share.PAGE,
    delayed_hops.PAGE,
    places.PAGE,
    regions.PAGE,
    improve.PAGE,
    remap.PAGE,
    decision_map.PAGE,
    compare.PAGE,
    sql.PAGE,
)

PAGES: tuple[Page, ...] = (summary.page_of(_LATER_PAGES), *_LATER_PAGES)
