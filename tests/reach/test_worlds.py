"""Programs whose processes start others: one trace has all worlds, and their communicators have the members that the
program itself found."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import local_mpi
import pytest
from hopscope.errors import InputError
from hopscope.launch import job
from hopscope.launch.inspection import Inspection
from traced_worlds import DYNAMIC, HOPSCOPE, RELEASES, Traced, assert_agrees, assert_matched, program, run, settings


@pytest.fixture(params=DYNAMIC, ids=[mpi.release for mpi in DYNAMIC])
def spawning(request: pytest.FixtureRequest) -> local_mpi.LocalMpi:
    return request.param


SPAWNED = [
    ("openmpi-4", "siblings", [2, 2, 3]),
    ("openmpi-4", "nested", [2, 2, 2]),
    ("openmpi-5", "twice", [2, 2, 3]),  # it hangs by itself between worlds that were spawned separately
    ("mpich-5", "siblings", [2, 2, 3]),
    ("mpich-5", "nested", [2, 2, 2]),
]


@pytest.mark.parametrize(
    ("spawning", "word", "sizes"),
    [
        pytest.param(RELEASES[release], word, sizes, id=f"{release}-{word}")
        for release, word, sizes in SPAWNED
        if release in RELEASES
    ],
)
def test_spawned_worlds_are_in_their_parents_trace(
    tmp_path: Path, spawning: local_mpi.LocalMpi, word: str, sizes: list[int]
) -> None:
    done = run(spawning, tmp_path, 2, program(spawning), word)
    assert done.returncode == 0, done.stderr
    assert f"the trace is in trace ({sum(sizes)} ranks of 3 worlds)" in done.stderr
    traced = Traced(tmp_path / "trace")
    assert traced.facts["missing"] == []
    assert traced.worlds() == sizes
    assert [rank["world_rank"] for rank in traced.ranks] == [number for size in sizes for number in range(size)]
    assert [world["spawned"] for world in traced.facts["worlds"]] == [False, True, True]
    assert_agrees(traced, done.stdout)
    assert_matched(traced, done.stdout)
    assert not list((tmp_path / "trace").glob("spawned-*"))
    assert {row["verdict"] for row in traced.trace.check_data().to_pylist()} <= {"holds", "exempt", "nothing to check"}


def test_a_world_of_several_programs_that_outlives_its_parents_is_whole(
    spawning: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    done = run(spawning, tmp_path, 2, program(spawning), "heirs")
    assert done.returncode == 0, done.stderr
    traced = Traced(tmp_path / "trace")
    assert traced.facts["missing"] == []
    assert traced.worlds() == [2, 3]
    assert_agrees(traced, done.stdout)
    assert_matched(traced, done.stdout)
    ends = {row["rank"]: row["begin_ns"] for row in traced.rows("intervals") if row["region"] == "MPI_Finalize"}
    assert max(ends[0], ends[1]) < min(ends[2], ends[3], ends[4])


def test_worlds_that_are_spawned_at_the_same_time_go_to_the_right_parents_or_to_none(
    spawning: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    done = run(spawning, tmp_path, 2, program(spawning), "each")
    assert done.returncode == 0, done.stderr
    traced = Traced(tmp_path / "trace")
    assert traced.worlds() == [2, 1, 1]
    if spawning.flavour == "openmpi":  # its children know who started them
        assert traced.facts["missing"] == []
    if traced.facts["missing"]:
        assert re.match(r"the processes that 2 call\(s\) of MPI_Comm_spawn started", traced.facts["missing"][0])
        assert any(
            "message(s) and collectives on communicators shared with" in sentence
            for sentence in traced.facts["missing"]
        )
        # The remaining collectives are those of one world.
        members = traced.members()
        assert {name for name in members if name.startswith("own")} == {"own.merged.0", "own.merged.1"}
        assert {len(pids) for name in members if name.startswith("own") for pids in members[name]} == {1}
        for row in traced.rows("collectives"):
            assert row["complete"], row
    else:
        assert_agrees(traced, done.stdout)
        assert_matched(traced, done.stdout)


def running_ranks(trace: Path, places: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """The ranks of an inspection, once all of them (world, and rank in it) run."""
    deadline = time.monotonic() + 100
    while True:
        with suppress(InputError, ValueError):  # some files are just being written
            ranks = Inspection(job.inspect(trace)).document()["ranks"]
            world_ranks = [(rank["world"], rank["world_rank"]) for rank in ranks]
            if world_ranks == places and {rank["state"] for rank in ranks} == {"running"}:
                return ranks
        assert time.monotonic() < deadline, f"{places} do not all run"
        time.sleep(0.1)


@pytest.mark.unfinished
def test_a_spawned_world_that_dies_leaves_what_it_recorded(spawning: local_mpi.LocalMpi, tmp_path: Path) -> None:
    spawned = subprocess.Popen(
        [HOPSCOPE, "run", "--dir", "trace", "--", *spawning.launch(2), program(spawning), "waits"],
        cwd=tmp_path,
        env={**os.environ, **settings(spawning)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert spawned.stdout is not None
    output = ""
    while "own.merged.ends again" not in output:
        output += spawned.stdout.readline() or pytest.fail(f"{spawned.communicate()[1]}")
    ranks = running_ranks(tmp_path / "trace", [(0, 0), (0, 1), (1, 0), (1, 1)])
    os.kill(ranks[3]["pid"], signal.SIGKILL)
    rest, errors = spawned.communicate(timeout=100)
    assert spawned.returncode != 0
    traced = Traced(tmp_path / "trace")
    assert traced.worlds() == [2, 2]
    assert re.search(r"anything after the last record of rank.* 3 ", errors + traced.facts["missing"][0])
    assert not any("MPI_Comm_spawn" in sentence for sentence in traced.facts["missing"])
    members = traced.members()
    for name in ("own", "own.merged", "own.merged.dup.idup"):
        (pids,) = members[name]
        assert sorted(pids) == sorted(rank["pid"] for rank in ranks)
    assert output + rest


def test_processes_that_do_not_carry_the_collector_are_said_to_be_missing(
    first_mpi: local_mpi.LocalMpi, tmp_path: Path
) -> None:
    # The children take their environment from the launcher, which has none of these variables.
    words = first_mpi.launch(2)
    preload = subprocess.run(
        [HOPSCOPE, "preload", "--mpi", first_mpi.release, "--dir", str(tmp_path / "trace")],
        capture_output=True,
        text=True,
        check=True,
    )
    done = subprocess.run(
        [*words, *preload.stdout.split(), program(first_mpi), "twice"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    traced = Traced(tmp_path / "trace")
    if traced.worlds() != [2]:
        pytest.skip("this launcher hands a process's own environment on to what it spawns")
    assert traced.facts["missing"][0].startswith(
        "the processes that 2 call(s) of MPI_Comm_spawn started (they were not recorded"
    )
    comm_names = {name for name in traced.members() if not re.match(r"MPI_COMM_|comm \d", name)}
    assert comm_names <= {"world twice", "one.merged.0", "one.merged.1", "two.merged.0", "two.merged.1"}
    assert all(row["complete"] for row in traced.rows("collectives"))
