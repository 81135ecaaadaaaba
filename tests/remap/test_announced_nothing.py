"""Messages without bytes that are announced: the root of a Barrier answers them."""

from hopscope.links import LINKS
from hopscope.model.costs import Costs, LinkCost, LocalCost
from hopscope.remap.fitting.announced import queueing


def test_messages_without_bytes_have_none_that_queue() -> None:
    """Regression: a run whose only messages between sites had no bytes ended in a division by zero."""
    link = LinkCost(5.0, hops=9, sizes=(0.0,), eager_bytes=0.0, announcement_ns=5.0, answer_ns=5.0, announced_ns=6.0)
    costs = Costs(dict.fromkeys(LINKS, link), LocalCost())
    assert queueing(costs).links["wan"] == link
