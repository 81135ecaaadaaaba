"""Rank orders for drawn jobs. The best order is known, or found by trying all orders."""

import itertools
import random
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import hopscope
import numpy as np
import pytest
from drawn_jobs import LATENCY_NS, PER_BYTE_NS, Job, exchange, ring
from hopscope.advice.pipeline import Suggestion
from hopscope.advice.placement.costs import costs_of
from hopscope.advice.placement.partition import cut
from hopscope.advice.placement.swaps import Objective, best_order
from hopscope.advice.placement.traffic import Traffic, traffic_of
from hopscope.advice.rank_order import suggest_order
from hopscope.cli.reorder import command, reorder_answer
from hopscope.dataset.path_columns import Array
from hopscope.errors import InputError
from hopscope.replay.run.places import places_of
from hopscope.vocabulary.links import LINKS
from scipy.sparse import csr_array

DEALT = ["A/a0", "B/b0", "A/a1", "B/b1"] * 2
"""The hosts of eight ranks that are placed in turn, so that neighbours are in different clusters."""


def row(order: Suggestion, link: str) -> dict[str, Any]:
    return next(row for row in order.table.to_pylist() if row["link"] == link)


def hosts_of(order: Suggestion) -> tuple[str, ...]:
    return (*order.candidates, order.baseline)[0].hosts


def measured(job: Job) -> Job:
    """The job with messages of two sizes over each class of link, so that all costs are known."""
    for src, dst in itertools.permutations(range(len(job.hosts)), 2):
        for size in (8, 100_000):
            job.send(src, dst, size)
    return job


def test_neighbours_of_a_ring_come_together() -> None:
    order = suggest_order(measured(ring(DEALT, rounds=40)).table())
    # Blocks of two ranks on each host and four in each cluster, wherever the ring begins: two of its eight edges cross
    # between clusters, and two more between hosts. There are also messages between all pairs, in any order.
    assert order.suggested
    ring_hosts = [hosts_of(order)[rank] for rank in (*range(8), 0)]
    edges = list(itertools.pairwise(ring_hosts))
    assert sum(a[0] != b[0] for a, b in edges) == 2
    assert sum(a == b for a, b in edges) == 4
    assert row(order, "wan")["messages"] - row(order, "wan")["new_messages"] == 40 * (8 - 2)


def test_what_measures_the_rerun_sees_the_application_s_messages(tmp_path: Path) -> None:
    # A ring's exchange went from 82 to 36 ms an iteration; its Allreduce, compared by operation, took as long as
    # before.
    trace: Any = SimpleNamespace(
        table=measured(ring(DEALT, rounds=40)).table(),
        run_facts={"mpi_library": "Open MPI v4.1.4", "command": "./app"},
        path=Path("dealt"),
    )
    answer = reorder_answer(trace, {"output": tmp_path / "hosts.txt"})
    assert any(note.startswith("`analyze compare --by path dealt TRACE`") for note in answer.notes), answer.notes
    # The trace's method gives the same rows and the same file.
    trace._whole = trace
    assert hopscope.Trace.reorder(trace, tmp_path / "by-method.txt").to_pylist() == answer.rows
    written, by_method = ((tmp_path / name).read_text() for name in ("hosts.txt", "by-method.txt"))
    assert written == by_method
    assert len(written.splitlines()) == len(DEALT)


def test_the_time_on_links_is_the_sum_of_what_the_network_takes() -> None:
    order = suggest_order(measured(ring(DEALT, rounds=40)).table())
    for is_baseline, prefix in ((True, ""), (False, "new_")):
        for link in ("wan", "lan", "shm"):
            link_row = row(order, link)
            truth = link_row[f"{prefix}messages"] * LATENCY_NS[link] + link_row[f"{prefix}bytes"] * PER_BYTE_NS[link]
            assert link_row[f"{prefix}predicted_ns"] == pytest.approx(truth, rel=0.01), (is_baseline, link)
    total = row(order, "all")
    assert total["gain"] == pytest.approx(1 - total["new_predicted_ns"] / total["predicted_ns"])


def test_an_order_that_was_taken_is_left_as_it_is() -> None:
    first = suggest_order(measured(ring(DEALT, rounds=40)).table())
    second_order = suggest_order(
        measured(ring([f"{host[0].upper()}/{host}" for host in hosts_of(first)], rounds=40)).table()
    )
    assert not second_order.suggested
    assert second_order.sentences[0].startswith("Leave the order as it is: no order was found")
    assert hosts_of(second_order) == hosts_of(first)


def test_one_sided_transfers_are_said_not_to_count() -> None:
    # Regression: Puts alone gave the advice to record the messages, and Puts beside messages none.
    job = Job(DEALT)
    job.intervals = [
        {"interval_id": number, "rank": 0, "location": 0, "region": region, "kind": "rma", "begin_ns": number}
        for number, region in enumerate(["MPI_Put", "MPI_Put", "MPI_Get", "MPI_Win_flush"])
    ]
    sentence = "3 one-sided transfers (most often MPI_Put) are not counted, because the trace has neither target nor"
    with pytest.raises(InputError, match="no messages between ranks.*" + re.escape(sentence)):
        suggest_order(job.table())
    job.send(0, 1)
    assert sentence in " ".join(suggest_order(job.table()).sentences)


def random_traffic(ranks: int, chance: random.Random) -> Traffic:
    pairs = [pair for pair in itertools.combinations(range(ranks), 2) if chance.random() < 0.6] or [(0, 1)]
    amounts = [[chance.randint(1, 100) for _ in pairs], [chance.randint(0, 10_000) for _ in pairs]]
    low, high = np.asarray(pairs).T
    return Traffic(ranks, low, high, *(np.asarray(counts, np.float64) for counts in amounts))


def orders(slots: list[int]) -> set[tuple[int, ...]]:
    """Every order that puts ranks into this number of slots on each host."""
    places = [host for host, count in enumerate(slots) for _ in range(count)]
    return set(itertools.permutations(places))


@pytest.mark.parametrize("seed", range(20))
def test_no_other_order_is_better_than_by_a_hundredth(seed: int) -> None:
    chance = random.Random(seed)
    job = measured(Job(["A/a0", "B/b0", "A/a1", "A/a0", "B/b0", "B/b1", "A/a0"]))
    table = job.table()
    places = places_of(table("ranks"))
    costs = costs_of(table, places)
    traffic = random_traffic(len(job.hosts), chance)
    objective = Objective(traffic, costs.latency_ns, costs.per_byte_ns)
    slots = np.bincount(places.baseline).tolist()
    optimum = min(objective.cost(np.asarray(order)) for order in orders(slots))
    assert objective.cost(best_order(traffic, costs, places)) <= 1.01 * optimum


def test_a_swap_costs_what_the_two_orders_differ_by() -> None:
    chance = random.Random(5)
    traffic = random_traffic(9, chance)
    latency = np.asarray([[1, 5, 9], [5, 2, 7], [9, 7, 1]], np.float64)
    objective = Objective(traffic, latency, latency / 100)
    place = np.asarray([0, 1, 2] * 3)
    for a, b in itertools.combinations(range(9), 2):
        swapped: Array = place.copy()
        swapped[[a, b]] = place[[b, a]]
        difference = objective.cost(swapped) - objective.cost(place)
        assert objective.swap_cost(place, a, b) == pytest.approx(difference, abs=1e-6)
        assert objective.all_swaps(place, np.arange(9))[a, b] == pytest.approx(difference, abs=1e-6)


def test_parts_have_exactly_the_sizes_asked_for() -> None:
    chance = np.random.default_rng(2)
    for sizes in ([3, 9], [1, 1, 1, 17], [5, 0, 7], [12]):
        count = sum(sizes)
        graph = np.triu(chance.integers(1, 9, (count, count)), 1)
        assert np.bincount(cut(csr_array(graph + graph.T), sizes), minlength=len(sizes)).tolist() == sizes


def test_ranks_that_were_spawned_stay_and_attract_those_that_send_to_them() -> None:
    job = Job(["A/a0", "B/b0", "A/a0", "B/b0"], worlds=[0, 0, 0, 1])
    for _ in range(20):
        job.send(0, 3)
        job.send(1, 2, waited=False)
        job.send(0, 2)
    order = suggest_order(job.table())
    assert len(hosts_of(order)) == 3
    assert sorted(hosts_of(order)) == ["a0", "a0", "b0"]
    assert hosts_of(order)[0] == "b0"


def test_a_message_that_waited_beside_a_farther_one_tells_nothing_of_its_link() -> None:
    """Regression: MPI_Waitall gave a message inside a cluster the 20 ms of another between clusters, so no order gained
    anything."""
    job = Job(["A/a0", "A/a1", "B/b0"])
    for _ in range(10):
        job.send(0, 1)
    for _ in range(30):
        begin = job.clock
        job.send(2, 1)
        end, job.clock = job.messages[-1]["recv_end_ns"], begin
        job.send(0, 1, size=16)
        job.messages[-1]["recv_end_ns"] = end
        job.clock = end + 1
    table = job.table()
    costs = costs_of(table, places_of(table("ranks")))
    assert costs.rows[LINKS.index("lan")] == 10
    assert costs.latency_ns[0, 1] == pytest.approx(LATENCY_NS["lan"], rel=0.01)


def test_a_class_that_was_not_measured_is_named_and_widens_the_interval() -> None:
    # Ranks placed in turn on two clusters of one host each: no message stays on a host. The order moves 6 of 8 messages
    # into hosts, where a message costs a quarter.
    order = suggest_order(exchange(["A/a0", "B/b0"] * 4, rounds=400, ways=(1,), size=1000).table())
    total = row(order, "all")
    assert row(order, "shm")["fitted_from"] == 0
    assert total["run_gain"] == pytest.approx(6 / 8 * 3 / 4, abs=0.02)
    assert total["run_gain_low"] < 0.1 and total["run_gain_high"] > 0.75
    (candidate,) = order.candidates
    assert candidate.extrapolates == ("shm links",)
    assert any("did not measure shm links" in sentence for sentence in order.sentences)


def test_without_a_waited_message_only_numbers_are_compared() -> None:
    job = Job(DEALT)
    for rank in range(8):
        job.send(rank, (rank + 1) % 8, waited=False)
    order = suggest_order(job.table())
    assert order.suggested
    assert (row(order, "wan")["messages"], row(order, "wan")["new_messages"]) == (8, 2)
    assert row(order, "all")["predicted_ns"] is None
    assert "is not predicted: no rank waited for a message" in order.sentences[1]


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        (ring(["A/a0"] * 4), "all ranks are on one host"),
        (Job(DEALT, {"record": "collectives"}, messages=ring(DEALT).messages), "without the application's messages"),
    ],
)
def test_no_order_is_suggested_where_none_can_be_promised(job: Job, reason: str) -> None:
    order = suggest_order(job.table())
    assert not order.suggested
    assert reason in order.sentences[0]


def test_collectives_without_hops_are_said() -> None:
    job = ring(DEALT)
    job.collectives = [{"collective_id": number, "op": "MPI_Allreduce", "comm_size": 8} for number in range(3)]
    assert "3 of 3 collectives show no hops" in " ".join(suggest_order(job.table()).sentences)


@pytest.mark.parametrize(
    ("job", "problem"),
    [
        (Job(DEALT), "shows no messages between ranks"),
        (Job(DEALT, {"emulated": "{}"}, messages=ring(DEALT).messages), "emulated its links"),
        (Job(DEALT, memory=[7] * 8, messages=ring(DEALT).messages), "are one machine"),
    ],
)
def test_what_no_launcher_can_place_is_refused(job: Job, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        suggest_order(job.table())


def test_messages_and_hops_are_one_graph_without_direction() -> None:
    job = Job(["A/a0", "A/a1"])
    job.send(0, 1, 100)
    job.send(1, 0, 20)
    job.send(0, 0, 5)
    table = job.table()
    hops = table("hops")
    hop = {field.name: 0 for field in hops.schema} | {"src": 1, "dst": 0, "bytes": 3, "link": "lan", "role": "up"}
    hop |= {"source": "native", "binding": "none", "arrived_early": None}
    rows = type(hops).from_pylist([hop], schema=hops.schema)
    traffic = traffic_of(places_of(table("ranks")), table("messages"), rows)
    assert (traffic.low.tolist(), traffic.high.tolist()) == ([0], [1])
    assert (traffic.messages.tolist(), traffic.bytes.tolist()) == ([3], [123])


def test_a_part_of_the_run_cannot_be_asked_for() -> None:
    """Regression: options such as `--from` were accepted and did nothing."""
    visible = [
        candidate for candidate in command().params if isinstance(candidate, click.Option) and not candidate.hidden
    ]
    options = {option for parameter in visible for option in parameter.opts}
    assert "--for" in options
    assert not {"--from", "--ranks"} & options
