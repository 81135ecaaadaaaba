"""Communicators of every origin, in random programs: on every rank, the calls on a communicator form a collective of
exactly the members that the program itself found. More programs: COMMUNICATOR_SEEDS="1 2 3" in pytest's environment."""

import os
from collections import defaultdict
from pathlib import Path
from subprocess import CompletedProcess

import local_mpi
import pytest
from traced_worlds import DYNAMIC, Traced, program, run

SEEDS = [int(word) for word in os.environ.get("COMMUNICATOR_SEEDS", "9").split()]

Groups = tuple[tuple[int, ...], ...]


@pytest.fixture(autouse=True, scope="module")
def cores_are_shared() -> None:
    """Lets waiting ranks give up their cores: making communicators takes many small collectives, which are slow
    otherwise."""
    local_mpi.share_cores()


def printed_communicators(folder: Path, ranks: int) -> dict[int, tuple[str, Groups]]:
    """The maker and the groups of each communicator, by token. Checks that all its members agree."""
    makers: dict[int, str] = {}
    groups: dict[int, dict[str, tuple[int, ...]]] = defaultdict(dict)
    for rank in range(ranks):
        for line in (folder / f"told.{rank}").read_text().splitlines():
            token, maker, kind, *members = line.split()
            group = tuple(int(member) for member in members)
            assert rank in group
            assert makers.setdefault(int(token), maker) == maker
            assert groups[int(token)].setdefault(kind, group) == group
    return {
        token: (makers[token], tuple(group_of[kind] for kind in sorted(group_of))) for token, group_of in groups.items()
    }


def assert_same(traced: Traced, communicators: dict[int, tuple[str, Groups]]) -> None:
    """Asserts that every token is in exactly one collective, of exactly its communicator's members, and that no
    collective has two."""
    collectives = {row["collective_id"]: row for row in traced.rows("collectives")}
    members = {row["comm"]: tuple(row["members"]) for row in traced.comms}
    callers: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for call in traced.rows("calls"):
        collective = collectives[call["collective_id"]]
        assert collective["complete"], collective
        if call["bytes_sent"] in communicators:
            callers[call["bytes_sent"]][call["collective_id"]].append(call["rank"])
    assert callers.keys() == communicators.keys()
    tokens: dict[int, int] = {}
    for token, (maker, groups) in communicators.items():
        ((number, ranks),) = callers[token].items()
        all_members = sum(groups, ())
        assert sorted(ranks) == sorted(all_members), (token, maker)
        assert members[collectives[number]["comm"]] in (all_members, sum(groups[::-1], ())), (token, maker)
        assert tokens.setdefault(number, token) == token, f"{maker}: two communicators are one"


def compare(mpi: local_mpi.LocalMpi, folder: Path, ranks: int, *words: str) -> set[str]:
    """Runs the program, checks that the trace agrees with it, and returns the ways in which communicators were made."""
    started = ranks // 2 if words[-1] == "spawn" else ranks
    done = run(mpi, folder, started, program(mpi, "lineage"), *words)
    return agreed(done, folder, ranks)


def agreed(done: CompletedProcess[str], folder: Path, ranks: int) -> set[str]:
    assert done.returncode == 0, done.stderr
    communicators = printed_communicators(folder, ranks)
    traced = Traced(folder / "trace")
    assert traced.facts["missing"] == []
    assert_same(traced, communicators)
    return {maker for maker, _ in communicators.values()}


EVERY_WAY = {"base", "dup", "idup", "split", "split_type", "create", "create_group", "cart", "rows"}
EVERY_WAY |= {"graph", "dist_graph", "inter", "merge"}


ONE_THREAD = [mpi for mpi in local_mpi.find_all() if mpi.release in ("openmpi-4", "mpich-4", "mpich-5")]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mpi", ONE_THREAD, ids=[mpi.release for mpi in ONE_THREAD])
def test_a_communicator_of_any_origin_is_one_on_all_its_members(
    tmp_path: Path, mpi: local_mpi.LocalMpi, seed: int
) -> None:
    """For a Cartesian communicator without the last processes, MPICH 5 reports the parent's whole group."""
    makers = compare(mpi, tmp_path, 4, str(seed), "50", "1")
    assert makers == EVERY_WAY or seed != 9


THREADS = [
    pytest.param(mpi, id=mpi.release, marks=pytest.mark.statistics if mpi.release == "openmpi-5" else ())
    for mpi in local_mpi.find_all()
    if mpi.release in ("openmpi-5", "mpich-5")
]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mpi", THREADS)
def test_threads_that_make_communicators_at_once_do_not_mix_them_up(
    tmp_path: Path, mpi: local_mpi.LocalMpi, seed: int
) -> None:
    """Without the collector, Open MPI 4 always hangs in this program, MPICH 4 sometimes, and Open MPI 5 in one of 30
    runs. Regression: with native hops, messages by which one thread made communicators of an intercommunicator became
    hops of another thread's collective."""
    done = run(mpi, tmp_path, 3, program(mpi, "lineage"), str(seed), "25", "2")
    agreed(done, tmp_path, 3)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("spawning", DYNAMIC, ids=[mpi.release for mpi in DYNAMIC])
def test_communicators_of_two_worlds_are_told_apart_like_those_of_one(
    spawning: local_mpi.LocalMpi, tmp_path: Path, seed: int
) -> None:
    compare(spawning, tmp_path, 4, str(seed), "35", "1", "spawn")
