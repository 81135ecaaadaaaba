"""The engine's results are those of the MPI library, for any tree, data and communicator."""

from typing import Any

import engine_jobs
import local_mpi
import pytest
from engine_jobs import tree_file
from hopscope.native import _plan
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
ALL_OPERATIONS = 2**32 - 1
TWO_SITES = {
    "schema_version": 1,
    "placement": "round-robin",
    "hosts": [
        {"name": "a0", "cluster": "A"},
        {"name": "b0", "cluster": "B"},
        {"name": "b1", "cluster": "B"},
    ],
}

OTHER_RELEASES = [mpi for mpi in local_mpi.find_all() if mpi not in local_mpi.find()]
"""Other releases, and the standard's ABI."""

seeded = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))

levels = st.sampled_from(SIMPLE).map(lambda name: {"shape": name}) | st.builds(
    lambda name, width: {"shape": name, "fan_out": width}, st.sampled_from(WIDE), st.integers(1, 4)
)


@st.composite
def explicit_trees(draw: st.DrawFn, ranks: int) -> dict[str, Any]:
    """Any tree of this size: in a random order of ranks, each rank except the first has a parent before it."""
    order = draw(st.permutations(range(ranks)))
    parents: list[int | None] = [None] * ranks
    for place in range(1, ranks):
        parents[order[place]] = order[draw(st.integers(0, place - 1))]
    return {"shape": "explicit", "parents": parents}


def trees(ranks: int) -> st.SearchStrategy[dict[str, Any]]:
    """Any tree that fits a communicator of this size."""
    hierarchical = st.fixed_dictionaries({"shape": st.just("hierarchical"), "hosts": levels, "ranks": levels})
    return levels | hierarchical | explicit_trees(ranks)


@st.composite
def jobs(draw: st.DrawFn, most_ranks: int) -> tuple[int, dict[str, Any]]:
    """Ranks and a tree file: two trees, sometimes with another pair for short messages or for one communicator."""
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


def of_every_shape() -> dict[str, Any]:
    """A tree file in which each length of a message, up to the longest of the checks, has another shape of tree."""
    trees = {f"{place}-{shape['shape']}": shape for place, shape in enumerate(SHAPES)}
    limits = [4, 16, 64, 128, 256, 512, 1000, 2000, 4000, 8000][: len(trees) - 1]
    assert len(limits) == len(trees) - 1, "give every shape a length"
    rules = [
        {"operations": engine_jobs.OPERATIONS, "reduce_tree": name, "segment_bytes": 64, "bytes": {"max": limit}}
        for name, limit in zip(trees, limits, strict=False)
    ]
    last = {"operations": engine_jobs.OPERATIONS, "reduce_tree": list(trees)[-1], "segment_bytes": 64}
    return {"schema_version": 1, "trees": trees, "rules": [*rules, last]}


def test_every_predefined_operation_on_every_datatype_equals_the_library_over_every_shape(mpi: LocalMpi) -> None:
    """The simulator proves that each shape's schedule is right; the last four trees depend on the topology."""
    ranks = 7 if mpi.flavour == "openmpi" else 3
    tree = of_every_shape()
    words = ["pairs", 1, 0, ALL_OPERATIONS, "random", 101, 200, ALL_OPERATIONS]
    job = engine_jobs.check(mpi, ranks, tree, *words, topology=TWO_SITES)
    assert job.is_correct, job
    assert job.by_engine > 150 * ranks
    used = {line["name"] for rank in job.definitions for line in rank if line["def"] == "tree"}
    assert {name for name in used if not name.startswith("native")} == set(tree["trees"])


@pytest.mark.parametrize("ranks", [1, 2, 9])
def test_the_least_and_many_ranks_give_the_same(ranks: int, first_mpi: LocalMpi) -> None:
    """With one rank, the engine has nothing to do. The simulator covers each number up to 20."""
    tree = tree_file(SHAPES[ranks % len(SHAPES)], segment_bytes=64)
    job = engine_jobs.check(first_mpi, ranks, tree, "random", 100 + ranks, 80, topology=TWO_SITES)
    assert job.is_correct, job
    assert (job.by_engine > 0) == (ranks > 1)


def compare(mpi: LocalMpi, job: tuple[int, dict[str, Any]], mode: str, seed: int) -> None:
    """Runs one job, and checks that nothing differs and that the engine ran."""
    ranks, tree = job
    finished_job = engine_jobs.check(mpi, ranks, tree, mode, seed, 60)
    assert finished_job.is_correct, f"{finished_job}\n{ranks} ranks, {mode} {seed} 60, {tree}"
    assert finished_job.by_engine > 0


MOST_RANKS = {"openmpi": 9}
"""MPICH is slow if ranks outnumber cores, so it gets at most 4."""


def compare_random(mpi: LocalMpi, examples: int) -> None:
    """Compares `examples` random jobs with the library."""

    @settings(seeded, max_examples=examples)
    @given(
        job=jobs(MOST_RANKS.get(mpi.flavour, 4)),
        mode=st.sampled_from(["random", "derived"]),
        seed=st.integers(0, 10**6),
    )
    def programs(job: tuple[int, dict[str, Any]], mode: str, seed: int) -> None:
        compare(mpi, job, mode, seed)

    programs()


def test_random_programs_over_random_trees_give_the_same(mpi: LocalMpi) -> None:
    compare_random(mpi, 3)


@pytest.mark.statistics
def test_many_random_programs_over_random_trees_give_the_same(mpi: LocalMpi) -> None:
    compare_random(mpi, 20)


@pytest.mark.parametrize("shape", ["binomial-lam", "flat"])
def test_rounded_sums_are_near_and_repeat_bit_for_bit(shape: str, first_mpi: LocalMpi) -> None:
    job = engine_jobs.check(first_mpi, 4, tree_file(shape, segment_bytes=64), "sums", 3)
    assert job.is_correct, job
    assert job.by_engine == 4 * 11


@pytest.mark.parametrize("mode", ["random", "blocks"])
@pytest.mark.parametrize("release", OTHER_RELEASES, ids=[mpi.release for mpi in OTHER_RELEASES])
def test_so_are_those_under_the_other_releases_and_the_standard_s_abi(mode: str, release: LocalMpi) -> None:
    tree = tree_file("binomial", segment_bytes=64) if mode == "random" else engine_jobs.algorithm_file("linear")
    only = [engine_jobs.served(mode, tree)] if mode == "blocks" else []
    job = engine_jobs.check(release, 3, tree, mode, 23, 30, *only)
    assert job.is_correct, job
    assert job.by_engine > 0
