"""The engine's results are those of the MPI library, whatever the tree, the data and the communicator."""

from typing import Any

import engine_jobs
import local_mpi
import pytest
from engine_jobs import every
from hopscope import _plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from local_mpi import LocalMpi

SIMPLE = [shape.name for shape in _plan.shapes() if shape.is_simple and not shape.counts]
WIDE = [shape.name for shape in _plan.shapes() if shape.counts]
SHAPES: list[dict[str, Any]] = [
    *({"shape": name} for name in SIMPLE),
    *({"shape": name, "fan_out": 3} for name in WIDE),
    {"shape": "hierarchical"},
    {"shape": "hierarchical", "clusters": {"shape": "chain"}, "hosts": {"shape": "binomial-lam"}},
]
TWO_SITES = {
    "schema_version": 1,
    "placement": "round-robin",
    "hosts": [
        {"name": "a0", "cluster": "A"},
        {"name": "b0", "cluster": "B"},
        {"name": "b1", "cluster": "B"},
    ],
}

NEWER = [mpi for mpi in local_mpi.find_all() if mpi not in local_mpi.find()]

seeded = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

levels = st.sampled_from(SIMPLE).map(lambda name: {"shape": name}) | st.builds(
    lambda name, width: {"shape": name, "fan_out": width}, st.sampled_from(WIDE), st.integers(1, 4)
)


@st.composite
def explicit_trees(draw: st.DrawFn, ranks: int) -> dict[str, Any]:
    """Any tree of that size: every rank but the first of a random order hangs below one before it."""
    order = draw(st.permutations(range(ranks)))
    parents: list[int | None] = [None] * ranks
    for place in range(1, ranks):
        parents[order[place]] = order[draw(st.integers(0, place - 1))]
    return {"shape": "explicit", "parents": parents}


def trees(ranks: int) -> st.SearchStrategy[dict[str, Any]]:
    """Any tree that fits a communicator of that size."""
    hierarchical = st.fixed_dictionaries({"shape": st.just("hierarchical"), "hosts": levels, "ranks": levels})
    return levels | hierarchical | explicit_trees(ranks)


@st.composite
def jobs(draw: st.DrawFn, most_ranks: int) -> tuple[int, dict[str, Any]]:
    """Ranks and a tree file: two trees, maybe another pair for short messages or for one communicator."""
    ranks = draw(st.integers(2, most_ranks))
    names = ["up", "down"]
    pair = {"reduce_tree": st.sampled_from(names), "broadcast_tree": st.sampled_from(names)}
    rule = st.fixed_dictionaries(
        {
            "operations": st.just(engine_jobs.OPERATIONS),
            "segment_bytes": st.sampled_from([0, 1, 64, 1000]),
            "combine": st.sampled_from(["fixed", "arrival"]),
            **pair,
        }
    )
    members = st.sampled_from([list(range(ranks)), list(range(ranks))[::-1]])
    short = draw(rule) | {"bytes": {"max": 600}} | draw(st.fixed_dictionaries({}, optional={"members": members}))
    file = {
        "schema_version": 1,
        "trees": {name: draw(trees(ranks)) for name in names},
        "rules": [short, draw(rule)],
    }
    return ranks, file


@pytest.mark.parametrize("place", range(len(SHAPES)), ids=[f"{i}-{shape['shape']}" for i, shape in enumerate(SHAPES)])
def test_every_predefined_operation_on_every_datatype_equals_the_library(place: int, mpi: LocalMpi) -> None:
    ranks = 2 + place % 7 if mpi.flavour == "openmpi" else 2 + place % 2
    ended = engine_jobs.check(mpi, ranks, every(SHAPES[place]), "pairs", place, topology=TWO_SITES)
    assert ended.same, ended
    assert ended.by_engine > 150 * ranks


@pytest.mark.parametrize("ranks", range(1, 10))
def test_every_number_of_ranks_gives_the_same(ranks: int, first_mpi: LocalMpi) -> None:
    tree = every(SHAPES[ranks % len(SHAPES)], segment_bytes=64)
    ended = engine_jobs.check(first_mpi, ranks, tree, "random", 100 + ranks, 80, topology=TWO_SITES)
    assert ended.same, ended
    assert (ended.by_engine > 0) == (ranks > 1)


def compare(mpi: LocalMpi, job: tuple[int, dict[str, Any]], mode: str, seed: int, turns: int) -> None:
    """Run one job and expect no difference, and the engine to have run."""
    ranks, tree = job
    ended = engine_jobs.check(mpi, ranks, tree, mode, seed, turns)
    assert ended.same, f"{ended}\n{ranks} ranks, {mode} {seed} {turns}, {tree}"
    assert ended.by_engine > 0


@settings(seeded, max_examples=10)
@given(job=jobs(9), mode=st.sampled_from(["random", "derived"]), seed=st.integers(0, 10**6))
def test_random_programs_give_the_same_under_the_first_library(
    job: tuple[int, dict[str, Any]], mode: str, seed: int, first_mpi: LocalMpi
) -> None:
    compare(first_mpi, job, mode, seed, 120)


@settings(seeded, max_examples=4)
@given(job=jobs(4), mode=st.sampled_from(["random", "derived"]), seed=st.integers(0, 10**6))
def test_random_programs_give_the_same_under_every_library(
    job: tuple[int, dict[str, Any]], mode: str, seed: int, mpi: LocalMpi
) -> None:
    compare(mpi, job, mode, seed, 40)


@pytest.mark.parametrize("shape", ["binomial-lam", "flat"])
def test_rounded_sums_are_near_and_repeat_bit_for_bit(shape: str, mpi: LocalMpi) -> None:
    ended = engine_jobs.check(mpi, 4, every(shape, segment_bytes=64), "sums", 3)
    assert ended.same, ended
    assert ended.by_engine == 4 * 11


@pytest.mark.parametrize("mode", ["random", "blocks"])
@pytest.mark.parametrize("newer_mpi", NEWER, ids=[mpi.release for mpi in NEWER])
def test_so_are_those_under_the_newer_releases_and_the_standard_s_abi(mode: str, newer_mpi: LocalMpi) -> None:
    tree = every("binomial", segment_bytes=64) if mode == "random" else engine_jobs.by("linear")
    only = [engine_jobs.served(mode, tree)] if mode == "blocks" else []
    ended = engine_jobs.check(newer_mpi, 3, tree, mode, 23, 30, *only)
    assert ended.same, ended
    assert ended.by_engine > 0
