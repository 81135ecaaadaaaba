"""How far apart two ranks are. The rule stands in schemas/links.h; the compiled one answers here."""

from hopscope import _paths

LINKS: tuple[str, ...] = tuple(word for word, _ in _paths.LINK_CLASSES)
"""Words of link classes, from near to far, in the order of their codes."""


def link_class(*, same_rank: bool, same_host: bool, same_cluster: bool) -> str:
    """The word for two ranks, by what they have in common."""
    return LINKS[_paths.link_class(0, 0, 0, not same_rank, not same_host, not same_cluster)]
