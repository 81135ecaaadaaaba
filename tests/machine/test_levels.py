"""Hosts and clusters, found from latencies."""

import itertools
import random

import pytest
from hopscope.machine.probe.levels import Pair, clusters_of, separation_certainty

US, MS = 1e3, 1e6


def latencies(clusters: str, inside_ns: float, between_ns: float, jitter: float = 0.1) -> dict[Pair, list[float]]:
    """20 latencies of each pair of hosts. clusters: a letter for each host."""
    chance = random.Random(3)
    return {
        (a, b): [
            (inside_ns if clusters[a] == clusters[b] else between_ns) * (1 + chance.uniform(0, jitter))
            for _ in range(20)
        ]
        for a, b in itertools.combinations(range(len(clusters)), 2)
    }


def test_a_gap_in_the_latencies_parts_clusters() -> None:
    clusters = clusters_of(latencies("AABAB", 20 * US, 5 * MS), 5)
    assert clusters.of_host == (0, 0, 1, 0, 1)
    assert clusters.certainty == 1.0
    assert clusters.inside_ns is not None and clusters.inside_ns < 22.1 * US
    assert clusters.between_ns is not None and clusters.between_ns >= 5 * MS


def test_a_cluster_of_one_host_is_one() -> None:
    assert clusters_of(latencies("AAAB", 20 * US, 200 * US), 4).of_host == (0, 0, 0, 1)


def test_hosts_that_are_all_equally_near_are_one_cluster() -> None:
    clusters = clusters_of(latencies("AAAA", 20 * US, 0, jitter=0.5), 4)
    assert (clusters.count, clusters.between_ns, clusters.certainty) == (1, None, 1.0)


def test_two_hosts_have_no_gap_so_the_latency_itself_decides() -> None:
    assert clusters_of(latencies("AB", 0, 5 * MS), 2).of_host == (0, 1)
    assert clusters_of(latencies("AA", 50 * US, 0), 2).of_host == (0, 0)


def test_three_sites_that_are_unequally_far_apart_stay_three() -> None:
    ways = latencies("AABBCC", 20 * US, 5 * MS)
    for (a, b), values in ways.items():
        if a < 2 and b >= 4:
            ways[a, b] = [4 * latency_ns for latency_ns in values]
    assert clusters_of(ways, 6).of_host == (0, 0, 1, 1, 2, 2)


def test_a_chain_of_latencies_without_a_gap_is_no_reason_to_part_hosts() -> None:
    """Single linkage alone would separate host 3, though its latency to host 2 is like the others'."""
    ways: dict[Pair, list[float]] = {
        (a, b): [20 * US * 2.5 ** (b - a - 1)] * 5 for a, b in itertools.combinations(range(4), 2)
    }
    assert clusters_of(ways, 4).count == 1


def test_latencies_that_jitter_across_the_gap_make_it_uncertain() -> None:
    ways = latencies("AABB", 20 * US, 5 * MS)
    ways[0, 1] = [20 * US if i == 0 else 20 * MS for i in range(8)]
    assert clusters_of(ways, 4).certainty < 0.95


def test_a_busy_machine_that_delays_half_of_the_messages_hides_no_cluster() -> None:
    """Regression: medians gave a certainty of 0.58 here."""
    chance = random.Random(5)
    ways = {
        pair: [latency_ns + chance.choice((0, 10 * MS)) for latency_ns in values]
        for pair, values in latencies("AABB", 20 * US, 5 * MS).items()
    }
    clusters = clusters_of(ways, 4)
    assert clusters.of_host == (0, 0, 1, 1)
    assert clusters.certainty > 0.9


def test_a_missing_pair_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"\(0, 1\)"):
        clusters_of({(0, 2): [1.0], (1, 2): [1.0]}, 3)


def test_one_host_is_one_cluster() -> None:
    assert clusters_of({}, 1).of_host == (0,)


def test_hosts_are_apart_where_messages_inside_are_faster() -> None:
    assert separation_certainty([[1.0, 2.0]], [[9.0, 8.0], [7.0, 6.0]]) == 1.0
    assert separation_certainty([[9.0, 9.0]], [[2.0, 2.0]]) == 0.0
    assert separation_certainty([], [[1.0]]) is None
