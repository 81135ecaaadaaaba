"""Open MPI's `han` among the candidates: where an exchange between hosts' leaders wins, and where it is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hopscope.algorithms.rules import read_rules, rules_for
from hopscope.remap import remap, sentence, suggest
from hopscope.remap.run.calls import Call
from hopscope.remap.run.program import Subject, source_of
from hopscope.remap.settings.hierarchical import hierarchical
from hopscope.remap.settings.library import Form
from hopscope.tuning.han import Simple
from hopscope.tuning.offered import Library, Offered
from simulated_library import LibraryRun
from simulated_network import MS, Network, SimulatedTrace, iterate


def offered(operation: str, **names: int) -> list[Offered]:
    return [Offered(operation, name, number, f"coll_tuned_{operation}_algorithm") for name, number in names.items()]


HAN = {
    operation: Simple(operation, ((f"coll_han_use_simple_{operation}", "1"), ("coll_han_priority", "31")))
    for operation in ("allreduce", "reduce", "bcast", "allgather")
}
OPEN_MPI = Library(
    "openmpi",
    "4.1.4",
    "mpirun",
    [
        *offered("allreduce", basic_linear=1, recursive_doubling=3),
        *offered("reduce", linear=1, binomial=5),
        *offered("bcast", basic_linear=1, binomial=6),
        *offered("gather", basic_linear=1, binomial=2),
        *offered("allgather", ring=4),
    ],
    {},
    simple=HAN,
)
CROSSING = ["a", "b", "b", "a", "a", "b", "b", "a"]
"""Recursive doubling crosses in its first two rounds; the leaders of the hosts, ranks 0 and 1, only once."""


def ran(hosts: Sequence[str], iterations: int = 20) -> SimulatedTrace:
    """Two sites 20 ms apart, each one host."""
    network = Network(list(hosts), {"a": "A", "b": "B"}, {"shm": 1_000, "lan": 50_000, "wan": 20 * MS})
    return iterate(LibraryRun(network, jitter=1_000), iterations).trace()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    def stand_in(*_: object) -> Library:
        return OPEN_MPI

    monkeypatch.setattr(suggest, "installed", stand_in)


def part(op: str, hosts: Sequence[str], root: int = 0) -> Subject:
    """A selection of a run on these hosts, of 8 bytes."""
    subject = source_of(ran(hosts, iterations=4).table).subject
    return replace(subject, op=op, operations=(op,), roots=(root,), calls=(Call(op, 8, root, (8,)),))


def forms(subject: Subject) -> dict[str, Form]:
    return {form.name: form for form in hierarchical(OPEN_MPI, [subject])}


@pytest.mark.usefixtures("library")
def test_an_exchange_between_leaders_is_set_where_it_crosses_less_often(tmp_path: Path) -> None:
    table = remap(ran(CROSSING), tmp_path / "rules", library="openmpi")
    best = table.to_pylist()[0]
    assert (best["name"], best["chosen"]) == ("han: recursive_doubling between hosts, linear inside", True)
    assert best["predicted_ns"] == pytest.approx(21 * MS, rel=0.03) and best["wan_crossings"] == 1
    rules = read_rules((tmp_path / "rules").read_text())
    chosen = {
        (one, ranks): rules_for(rules, one, ranks, 8)[0].algorithm
        for one in ("allreduce", "reduce", "bcast")
        for ranks in (2, 4, 8)
    }
    assert {key: number for key, number in chosen.items() if number} == {
        ("allreduce", 2): 3,
        ("reduce", 4): 1,
        ("bcast", 4): 1,
    }
    words = (table.schema.metadata or {})[b"words"].decode()
    assert words.endswith("--mca coll_han_use_simple_allreduce 1 --mca coll_han_priority 31")
    assert "between hosts, linear inside of Open MPI 4.1.4 would take 2" in sentence(table)


@pytest.mark.parametrize(
    ("root", "tree"),
    [
        (0, {(0, 1), (0, 3), (0, 4), (0, 7), (1, 2), (1, 5), (1, 6)}),
        # Rank 3 is the second of its host, as rank 2 is of the other.
        (3, {(3, 2), (3, 0), (3, 4), (3, 7), (2, 1), (2, 5), (2, 6)}),
    ],
)
@pytest.mark.parametrize("op", ["MPI_Bcast", "MPI_Reduce"])
def test_a_rooted_operation_goes_through_the_ranks_that_have_the_root_s_place_on_their_hosts(
    op: str, root: int, tree: set[tuple[int, int]]
) -> None:
    subject = part(op, CROSSING, root)
    linear = "basic_linear" if op == "MPI_Bcast" else "linear"
    form = forms(subject)[f"han: {linear} between hosts, {linear} inside"]
    sent = form.pieces[0].messages(subject)[0]
    ends = set(zip(sent.src.tolist(), sent.dst.tolist(), strict=True))
    assert ends == (tree if op == "MPI_Bcast" else {(b, a) for a, b in tree})
    order = (2, 4) if op == "MPI_Bcast" else (4, 2)
    assert [(choice.algorithm.name, choice.ranks) for choice in form.choices] == [(linear, ranks) for ranks in order]


def test_blocks_are_gathered_inside_hosts_exchanged_and_passed_on() -> None:
    subject = part("MPI_Allgather", CROSSING)
    sent = forms(subject)["han: ring between hosts, basic_linear inside"].pieces[0].messages(subject)[0]
    sizes = sorted(zip(sent.src.tolist(), sent.dst.tolist(), sent.size.tolist(), strict=True))
    inside = [(leader, rank) for leader, ranks in ((0, (3, 4, 7)), (1, (2, 5, 6))) for rank in ranks]
    expected = [(rank, leader, 8) for leader, rank in inside] + [(leader, rank, 64) for leader, rank in inside]
    assert sizes == sorted([*expected, (0, 1, 32), (1, 0, 32)])


@pytest.mark.parametrize(
    ("hosts", "reason"), [(["a"] * 5 + ["b"] * 3, "different numbers of ranks"), (["a", "b"], "with one rank on each")]
)
def test_where_its_messages_are_not_known_it_is_said(hosts: Sequence[str], reason: str) -> None:
    (form,) = forms(part("MPI_Allreduce", hosts)).values()
    assert reason in (form.reason or "") and form.besides == HAN["allreduce"].settings


def test_on_one_host_it_is_not_spoken_of() -> None:
    assert forms(part("MPI_Allreduce", ["a"] * 8)) == {}
