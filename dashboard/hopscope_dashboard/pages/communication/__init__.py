"""Inside the communication: the critical path, collectives, messages, algorithms, trees and hops."""

from hopscope_dashboard.navigation.page import Page
from hopscope_dashboard.pages.communication import (
    collective,
    collectives,
    critical_path,
    delayed_hops,
    messages,
    tree,
    wan_share,
)

PAGES: tuple[Page, ...] = (
    critical_path.PAGE,
    collectives.PAGE,
    collective.PAGE,
    messages.PAGE,
    tree.PAGE,
    wan_share.PAGE,
    delayed_hops.PAGE,
)
