"""Pages about who waits for whom: ranks, arrivals, noise and efficiency."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.imbalance import (
    by_rank,
    efficiency,
    last_arrivals,
    late_ranks,
    noise,
)

PAGES: tuple[Page, ...] = (
    by_rank.PAGE,
    last_arrivals.PAGE,
    late_ranks.PAGE,
    noise.PAGE,
    efficiency.PAGE,
)
