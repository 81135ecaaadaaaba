"""Archives by Score-P: everything that is known without hops."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any

import hopscope
import pyarrow as pa
import pytest

ARCHIVES = Path(__file__).parent / "archives"
SAMPLE = Path(__file__).parents[2] / "sample_traces" / "observe_only" / "trace"
NAMES = ["scorep-8.4-preload-4ranks", "scorep-8.4-mpi-openmp-4x2"]
Converted = Callable[[Path], dict[str, pa.Table]]


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: copytree(ARCHIVES / name, tmp_path / name)


@pytest.mark.parametrize("name", NAMES)
def test_every_collective_of_the_program_is_found_whole(name: str, copy: Any, converted: Converted) -> None:
    tables = converted(copy(name))
    collectives = tables["collectives"].to_pylist()
    assert Counter(c["op"] for c in collectives) == {
        "MPI_Bcast": 20,
        "MPI_Allreduce": 20,
        "MPI_Barrier": 2,
        "MPI_Reduce": 40,
        "MPI_Comm_split": 1,
    }
    members = {c["comm"]: c["members"] for c in tables["comms"].to_pylist()}
    reduces = Counter(tuple(members[c["comm"]]) for c in collectives if c["op"] == "MPI_Reduce")
    assert reduces == {(0, 2): 20, (1, 3): 20}
    assert all(c["complete"] for c in collectives)
    roots = [c["root"] for c in collectives if c["op"] == "MPI_Bcast"]
    assert roots == [i % 4 for i in range(20)]
    assert tables["hops"].num_rows == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_message_is_matched(name: str, copy: Any, converted: Converted) -> None:
    tables = converted(copy(name))
    messages = tables["messages"].to_pylist()
    ring = [m for m in messages if m["bytes"] == 2048]
    assert Counter((m["src"], m["dst"]) for m in ring) == {(0, 1): 20, (1, 2): 20, (2, 3): 20, (3, 0): 20}
    assert Counter(m["bytes"] for m in messages) == {2048: 80, 8: 80}
    assert all(m["recv_end_ns"] > m["send_begin_ns"] for m in messages)
    (run,) = tables["run"].to_pylist()
    assert (run["mode"], run["missing"], run["creator"]) == ("foreign", None, "Score-P 8.4")
    assert (run["tree_file"], run["command"], run["overhead_ns"], run["event_cost_ns"]) == (None, None, None, None)


@pytest.mark.parametrize(("name", "events", "locations"), [(NAMES[0], 2384, 4), (NAMES[1], 3992, 8)])
def test_every_event_is_read(name: str, events: int, locations: int, copy: Any, converted: Converted) -> None:
    (run,) = converted(copy(name))["run"].to_pylist()
    assert (run["events"], run["threads"], run["ranks"], run["hosts"]) == (events, locations, 4, 1)


def test_mpi_is_on_the_first_thread_and_openmp_on_both(copy: Any, converted: Converted) -> None:
    tables = converted(copy(NAMES[1]))
    assert {(c["rank"], c["location"]) for c in tables["calls"].to_pylist()} == {(r, r) for r in range(4)}
    regions = [i for i in tables["intervals"].to_pylist() if i["region"].startswith("!$omp for")]
    assert Counter(i["location"] >> 32 for i in regions) == {0: 80, 1: 80}
    assert {(i["kind"], i["call_site"].rsplit("/", 1)[-1]) for i in regions} == {("region", "mixed.c:12")}
    assert {i["depth"] for i in regions if i["location"] >> 32 == 0} == {3}  # in main, work and the parallel region


def test_the_last_rank_computes_longest(copy: Any, converted: Converted) -> None:
    """The last rank does twice the work before it enters the ring's first call."""
    tables = converted(copy(NAMES[1]))
    spent: Counter[int] = Counter()
    for interval in tables["intervals"].to_pylist():
        if interval["region"] == "work":
            spent[interval["rank"]] += interval["end_ns"] - interval["begin_ns"]
    assert spent.most_common(1)[0][0] == 3


def test_ticks_become_nanoseconds_by_the_timers_rate(copy: Any, converted: Converted) -> None:
    """The trace's clock properties have 914,286,672 ticks at 2,600,022,326 a second."""
    (run,) = converted(copy(NAMES[0]))["run"].to_pylist()
    assert run["duration_ns"] == round(914_286_672 / 2_600_022_326 * 1e9)


def test_a_regions_share_lies_in_its_interval(copy: Any) -> None:
    """Both refer to the rank's own time. Regression: the interval referred to the run's time, so `main` had 99.99 % in
    99.5 to 99.6 %."""
    regions = hopscope.open(copy("scorep-8.4-mpi-openmp-4x2")).run("regions", region="main").to_pylist()
    assert len(regions) == 4
    assert all(row["share_low"] <= row["share"] <= row["share_high"] for row in regions)


def test_regions_with_places_are_no_calls_with_places(copy: Any, tmp_path: Path) -> None:
    """Regression: the five places of this archive's regions opened a page of places without a single call."""
    with_regions, without_regions = (hopscope.open(copy(name)) for name in reversed(NAMES))
    assert with_regions.number_of_rows("places") == 5
    assert with_regions.named == {"regions"}
    assert without_regions.named == set()
    assert hopscope.open(copytree(SAMPLE, tmp_path / "sample")).named == {"places"}
