"""Pages about remedies, and about the measurements that predict their gain."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.improve import decision_map, improve, remap

PAGES: tuple[Page, ...] = (
    improve.PAGE,
    remap.PAGE,
    decision_map.PAGE,
)
