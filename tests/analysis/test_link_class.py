"""The link class of two ranks follows one rule: Python, compiled code and SQL give the same word."""

from itertools import product
from pathlib import Path

import hopscope
from drawing import draw
from hopscope.vocabulary.links import LINKS, link_class

RANKS = """
    rank  host  cluster
    0     a     A
    1     a     A
    2     b     A
    3     a     B
    4     c     B
"""


def link_word(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    """The class of link between two placements. A host's name counts only within its cluster."""
    if first[0] == second[0]:
        return "self"
    if first[2] != second[2]:
        return "wan"
    return "shm" if first[1] == second[1] else "lan"


def test_sql_and_compiled_code_give_two_ranks_the_same_word(tmp_path: Path) -> None:
    places = [tuple(line.split()) for line in RANKS.strip().splitlines()[1:]]
    pairs = list(product(places, places))
    by_hand = [link_word(first, second) for first, second in pairs]
    assert set(by_hand) == set(LINKS) == {"self", "shm", "lan", "wan"}
    trace = hopscope.open(draw(tmp_path / "dataset", ranks=RANKS))
    table = trace.sql("""
        select link_class(one.rank, one.host, one.cluster, other.rank, other.host, other.cluster) as link
        from ranks as one cross join ranks as other order by one.rank, other.rank
    """)
    assert table["link"].to_pylist() == by_hand
    compiled = [
        link_class(same_rank=first[0] == second[0], same_host=first[1] == second[1], same_cluster=first[2] == second[2])
        for first, second in pairs
    ]
    assert compiled == by_hand


def test_a_tree_and_its_path_cross_clusters_whose_hosts_have_one_name(tmp_path: Path) -> None:
    """Regression: the hops were called shm, because the hosts' names were compared first."""
    trace = hopscope.open(
        draw(
            tmp_path / "dataset",
            ranks=RANKS,
            comms="comm name members\n 0 world 0,3",
            trees="tree comm root role rank parent child_order\n t 0 0 up 0 - 0\n t 0 0 up 1 0 0",
        )
    )
    assert trace.trees()["link"].to_pylist() == [None, "wan"]
