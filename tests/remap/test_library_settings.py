"""The algorithms of an MPI library on known networks: which one is suggested, and what the library reads."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hopscope.algorithms.rules import read_rules, rules_for
from hopscope.errors import InputError
from hopscope.remap import remap, sentence, suggest_setting
from hopscope.remap.settings.settings_description import description_of
from hopscope.tuning.installed import flavour_of, installed
from hopscope.tuning.offered import Library, Offered
from simulated_library import LibraryRun
from simulated_network import Network, Run, SimulatedTrace, round_robin

MS = 1_000_000
OPEN_MPI = "Open MPI v5.0.11, package: Open MPI"
HAN = ("coll_han_allreduce_dynamic_global_communicator_module", "3")


def rows_of(*names: str) -> list[Offered]:
    return [
        Offered("allreduce", name, number, "coll_tuned_allreduce_algorithm") for number, name in enumerate(names, 1)
    ] + [Offered("bcast", "binomial", 6, "coll_tuned_bcast_algorithm")]


TUNED = Library(
    "openmpi",
    "5.0.11",
    "mpirun",
    rows_of("basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring"),
    {"allreduce": HAN, "bcast": ("other", "3")},
    [Offered("allreduce", "han simple", 2, "coll_han_use_allreduce_algorithm")],
)


def stand_in(*_: object) -> Library:
    return TUNED


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed library is TUNED."""
    monkeypatch.setattr(suggest_setting, "installed", stand_in)


def sites() -> Network:
    """Ranks dealt over one host in site A and two in site B, 20 ms apart."""
    return round_robin(8, {"a0": "A", "b0": "B", "b1": "B"}, shm=1_000, lan=50_000, wan=20 * MS)


def iterate(run: Run, iterations: int = 20, size: int = 8) -> SimulatedTrace:
    chance = random.Random(3)
    run.size = size
    for _ in range(iterations):
        run.compute(lambda _: MS + chance.randint(0, MS // 20))
        run.allreduce()
    return run.trace()


def by_name(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in table.to_pylist()}


@pytest.mark.usefixtures("library")
def test_the_best_of_what_the_library_has_is_written_as_it_reads_it(tmp_path: Path) -> None:
    # Doubling crosses the slow link three times in a row; all to the root and back, twice.
    table = remap(iterate(LibraryRun(sites(), jitter=1_000)), tmp_path / "rules", library="openmpi")
    best = table.to_pylist()[0]
    assert (best["name"], best["chosen"]) == ("basic_linear", True)
    assert best["predicted_ns"] == pytest.approx(41 * MS, rel=0.02)
    assert best["gain"] == pytest.approx(1 - 41 / 61, abs=0.01)
    assert best["gain_low"] <= best["gain"] <= best["gain_high"]
    rules = read_rules((tmp_path / "rules").read_text())
    chosen = [[row.algorithm for row in rules_for(rules, "allreduce", 8, size)] for size in (0, 7, 8, 9)]
    assert chosen == [[0], [0], [1], [0]]  # 8 bytes are all that ran
    assert list(rules) == ["allreduce"]
    words = (table.schema.metadata or {})[b"words"].decode()
    assert f"--mca coll_tuned_dynamic_rules_filename {tmp_path / 'rules'} --mca {' '.join(HAN)}" in words
    said = sentence(table)
    assert said.startswith("basic_linear of Open MPI 5.0.11 would take 41.")
    assert "The run took 61.0 ms per iteration by the MPI library's algorithm" in said


@pytest.mark.usefixtures("library")
def test_what_the_plan_cannot_lay_out_is_listed_with_the_reason_and_never_guessed() -> None:
    table = remap(iterate(LibraryRun(sites())), library="openmpi")
    reasons = {name: row["not_judged"] for name, row in by_name(table).items()}
    assert reasons.pop("today: the MPI library") is reasons.pop("basic_linear") is None
    assert reasons.pop("recursive_doubling") is None
    assert {name: reason.split()[:3] for name, reason in reasons.items()} == {
        "nonoverlapping": ["it", "calls", "other"],
        "ring": ["it", "cuts", "messages"],
        "segmented_ring": ["the", "plan", "has"],
        "han simple": ["which", "algorithms", "it"],
    }
    assert all(by_name(table)[name]["predicted_ns"] is None for name in reasons)


@pytest.mark.usefixtures("library")
def test_sizes_that_no_hop_measured_are_not_judged() -> None:
    # Doubling sends whole messages; a ring an eighth, of which this run shows nothing.
    table = remap(iterate(LibraryRun(sites()), size=65_536), library="openmpi")
    assert by_name(table)["ring"]["not_judged"] == "its messages have sizes that no hop measured"
    assert by_name(table)["recursive_doubling"]["not_judged"] is None


@pytest.mark.usefixtures("library")
def test_where_nothing_gains_the_setting_is_left_as_it_is(tmp_path: Path) -> None:
    one_host = Network(["a"] * 8, {"a": "A"}, {"shm": 2_000})
    table = remap(iterate(LibraryRun(one_host)), tmp_path / "rules", library="openmpi")
    assert not any(table["chosen"].to_pylist()) and not (tmp_path / "rules").exists()
    assert sentence(table).startswith("Leave MPI_Allreduce as it is: of what Open MPI 5.0.11 has, ")
    assert b"words" not in (table.schema.metadata or {})


@pytest.mark.usefixtures("library")
def test_of_a_run_over_a_tree_it_is_said_that_the_library_did_not_run() -> None:
    # From rank 0 in a line to rank 7 and back: 14 hops, of which 12 cross.
    table = remap(iterate(Run(sites(), {"shape": "chain"})), library="openmpi")
    assert table.to_pylist()[0]["chosen"]
    said = sentence(table)
    assert "per iteration by Hopscope's engine" in said
    assert "trace the program without a tree to see what that takes." in said


@pytest.mark.usefixtures("library")
def test_of_emulated_links_nothing_is_promised_for_a_library() -> None:
    trace = iterate(Run(sites(), {"shape": "chain"}))
    run = trace.tables["run"]
    at = run.schema.get_field_index("emulated")
    trace.tables["run"] = run.set_column(at, run.schema.field(at), pa.array(["{}"], run.schema.field(at).type))
    with pytest.raises(InputError, match="emulated links, which do not delay"):
        remap(trace, library="openmpi")


@pytest.mark.usefixtures("library")
def test_it_is_said_of_how_few_collectives_the_trace_has_all_messages() -> None:
    # MPICH 5 leaves messages for shared memory: 2 of 60 Allreduces had theirs and took 27 ms, the run 72 an iteration.
    trace = iterate(LibraryRun(sites()), iterations=20)
    assert "says nothing of the others" not in sentence(remap(trace, library="openmpi"))
    collectives = trace.tables["collectives"]
    at = collectives.schema.get_field_index("native_reason")
    reasons = pa.array([None] * 5 + ["silent"] * 15, collectives.schema.field(at).type)
    trace.tables["collectives"] = collectives.set_column(at, collectives.schema.field(at), reasons)
    few = "The trace has all messages of only 5 of 20 collectives of MPI_Allreduce"
    assert few in sentence(remap(trace, library="openmpi"))
    assert few in sentence(remap(trace, search=0))


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("flavour", "shown_by"), [("openmpi", "HOPSCOPE_NATIVE=1"), ("mpich", "HOPSCOPE_NATIVE=mpich")]
)
def test_without_the_library_s_messages_it_is_said_what_records_them(flavour: str, shown_by: str) -> None:
    # A run over a tree, which was advised, would show what the engine spends on a message.
    trace = iterate(LibraryRun(sites()), iterations=5)
    trace.tables["hops"] = trace.tables["hops"].slice(0, 0)
    with pytest.raises(InputError, match=f"nothing to fit a model to; run the program again with {shown_by},"):
        remap(trace, library=flavour)


def test_columns_are_those_that_help_names() -> None:
    for flavour in ("openmpi", "mpich"):
        named = re.findall(r"^-- column (\w+)", description_of(flavour), re.MULTILINE)
        assert named[:2] == ["name", "today"] and named[-1] == "not_judged"
        assert "@" not in description_of(flavour)


@pytest.mark.parametrize(
    ("flavour", "ran", "launcher", "said"),
    [
        ("mpich", OPEN_MPI, None, "made with Open MPI v5.0.11, so it does not show what MPICH spends"),
        ("openmpi", None, None, "made with an unknown MPI library"),
        ("openmpi", "Open MPI v0.1.2, x", None, "its launcher is not on PATH"),
        ("openmpi", "Open MPI v0.1.2, x", "sh", r"sh is not its launcher \(none was found\); .* with --launcher"),
    ],
)
def test_a_library_that_cannot_be_asked_is_said_with_what_to_do(
    flavour: str, ran: str | None, launcher: str | None, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        installed(flavour, ran, launcher)


def test_libraries_are_known_by_what_they_say_of_themselves() -> None:
    said = (OPEN_MPI, "MPICH Version:      5.0.2\nx", "Intel(R) MPI Library 2021", None)
    assert [flavour_of(text) for text in said] == ["openmpi", "mpich", None, None]
