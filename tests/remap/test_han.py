"""Open MPI's `han` among the candidates: where an exchange between hosts' leaders wins, and where it is left alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hopscope.algorithms.rules import read_rules, rules_for
from hopscope.remap import remap, sentence, suggest_setting
from hopscope.remap.candidates.laid import messages_of
from hopscope.remap.run.calls import Call
from hopscope.remap.run.program import Subject, source_of
from hopscope.remap.settings.forced import NotJudged
from hopscope.remap.settings.hierarchical import Hierarchical, hierarchical
from hopscope.tuning.han import Simple
from hopscope.tuning.offered import Library, Offered
from simulated_library import LibraryRun
from simulated_network import Network, SimulatedTrace

MS = 1_000_000


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
    run, chance = LibraryRun(network, jitter=1_000), random.Random(3)
    for _ in range(iterations):
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce()
    return run.trace()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suggest_setting, "installed", lambda *_: OPEN_MPI)


def part(op: str, hosts: Sequence[str], root: int = 0) -> Subject:
    """A part of a run on these hosts, of 8 bytes."""
    subject = source_of(ran(hosts, iterations=4).table).subject
    return replace(subject, op=op, operations=(op,), roots=(root,), calls=(Call(op, 8, root, (8,)),))


def forms(
    one: Subject, *others: Subject, taken: Sequence[Hierarchical] = ()
) -> list[tuple[Hierarchical, ...] | NotJudged]:
    return list(hierarchical(OPEN_MPI, [one], others, taken))


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


@pytest.mark.usefixtures("library")
def test_one_algorithm_for_all_ranks_goes_before_several_that_take_as_long(tmp_path: Path) -> None:
    # In blocks, doubling crosses once as well. It is told apart from what ran by a tree that crosses twice.
    table = remap(ran(["a"] * 4 + ["b"] * 4), tmp_path / "rules", library="openmpi")
    names = [row["name"] for row in table.to_pylist() if not row["today"] and not row["not_judged"]]
    assert names.index("recursive_doubling") < min(at for at, name in enumerate(names) if name.startswith("han"))


def test_of_two_operations_that_share_rules_inside_hosts_one_is_judged_by_han() -> None:
    sums, bcasts = part("MPI_Allreduce", CROSSING), part("MPI_Bcast", CROSSING)
    taken = [form[0] for form in forms(sums, bcasts) if not isinstance(form, NotJudged)]
    (said,) = forms(bcasts, sums, taken=taken)
    assert isinstance(said, NotJudged)
    assert said.reason == "its rules inside hosts and between them would also be for MPI_Allreduce"


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
    found = [form[0] for form in forms(subject) if not isinstance(form, NotJudged)]
    linear = "basic_linear" if op == "MPI_Bcast" else "linear"
    one = next(one for one in found if one.name == f"han: {linear} between hosts, {linear} inside")
    assert ends_of(one, subject) == (tree if op == "MPI_Bcast" else {(b, a) for a, b in tree})
    order = (2, 4) if op == "MPI_Bcast" else (4, 2)
    assert [(named.name, ranks) for named, ranks in one.choices(subject)] == [(linear, ranks) for ranks in order]


def ends_of(one: Hierarchical, subject: Subject) -> set[tuple[int, int]]:
    sent = messages_of(one.lay(subject, subject.calls[0]))
    return {(int(a), int(b)) for a, b in zip(sent.src, sent.dst, strict=True)}


def test_blocks_are_gathered_inside_hosts_exchanged_and_passed_on() -> None:
    subject = part("MPI_Allgather", CROSSING)
    found = [form[0] for form in forms(subject) if not isinstance(form, NotJudged)]
    one = next(one for one in found if one.name == "han: ring between hosts, basic_linear inside")
    sent = messages_of(one.lay(subject, subject.calls[0]))
    sizes = sorted(zip(sent.src.tolist(), sent.dst.tolist(), sent.size.tolist(), strict=True))
    inside = [(leader, rank) for leader, ranks in ((0, (3, 4, 7)), (1, (2, 5, 6))) for rank in ranks]
    expected = [(rank, leader, 8) for leader, rank in inside] + [(leader, rank, 64) for leader, rank in inside]
    assert sizes == sorted([*expected, (0, 1, 32), (1, 0, 32)])


@pytest.mark.parametrize(
    ("one", "others", "reason"),
    [
        (part("MPI_Allreduce", ["a"] * 5 + ["b"] * 3), (), "different numbers of ranks"),
        (part("MPI_Allreduce", ["a", "b"]), (), "with one rank on each"),
        (part("MPI_Allreduce", CROSSING), (part("MPI_Allreduce", CROSSING),), "are judged one by one"),
        (part("MPI_Allreduce", CROSSING), (part("MPI_Bcast", ["a"] * 2 + ["b"] * 2),), "would also be for MPI_Bcast"),
    ],
)
def test_where_its_messages_are_not_known_or_its_rules_reach_too_far_it_is_said(
    one: Subject, others: tuple[Subject, ...], reason: str
) -> None:
    (said,) = forms(one, *others)
    assert isinstance(said, NotJudged) and reason in said.reason


def test_on_one_host_it_is_not_spoken_of() -> None:
    assert forms(part("MPI_Allreduce", ["a"] * 8)) == []
