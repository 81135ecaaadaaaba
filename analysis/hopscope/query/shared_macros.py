"""Macros that SQL gets before any view: facts that other languages know too, and the part of the run."""

from collections.abc import Iterable

from hopscope.native import _paths
from hopscope.query import bootstrap
from hopscope.selection import Part, quoted
from hopscope.vocabulary.links import LINKS
from hopscope.vocabulary.words import ANSWERED_CATEGORIES, UNKNOWN_PLACE


def shared_macros(part: Part, text: str | None = None) -> list[str]:
    """The statements that tell SQL what other languages know too, or those of them that a text needs: `link_class` of
    two ranks, hosts and clusters, the lists of all link classes and path categories, in their order, what an unknown
    place is called, the numbers of the bootstrap, and what part of the run is asked for."""
    cases = " ".join(f"when {condition} then {quoted(word)}" for word, condition in _paths.LINK_CLASSES)
    shared = {
        "link_class(one_rank, one_host, one_cluster, other_rank, other_host, other_cluster)": (
            f"(case {cases} else {quoted(LINKS[-1])} end)"
        ),
        "link_classes()": f"[{', '.join(map(quoted, LINKS))}]",
        "path_categories()": f"[{', '.join(map(quoted, ANSWERED_CATEGORIES))}]",
        "unknown_place()": quoted(UNKNOWN_PLACE),
        "bootstrap_draws()": str(bootstrap.DRAWS),
        "bootstrap_least_blocks()": str(bootstrap.LEAST_BLOCKS),
        "interval_ends()": f"[{', '.join(map(str, bootstrap.ENDS))}]",
        **part.macros(),
    }
    return [
        f"create or replace macro {signature} as {body};"
        for signature, body in shared.items()
        if text is None or signature.partition("(")[0] + "(" in text
    ]


def whole_views(tables: Iterable[str]) -> list[str]:
    """The statements that give tables their second names, where nothing restricts them."""
    return [f"create or replace view whole_{name} as from {name};" for name in tables]
