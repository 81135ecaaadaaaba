"""The algorithms of an MPI library on known networks: which one is suggested, and the settings that the library
reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hopscope.advice import setting
from hopscope.advice.remap import candidates, remap, sentence
from hopscope.errors import InputError
from hopscope.mpi_libraries.installed import flavour_of, installed
from hopscope.mpi_libraries.offered import Library, Offered
from hopscope.mpi_libraries.open_mpi.rules import read_rules, rules_for
from hopscope.replay.parts import knobs_of, with_parts
from hopscope.replay.run.subject import source_of
from simulated_library import LibraryRun
from simulated_network import MS, Network, Run, iterate, sites

OPEN_MPI = "Open MPI v5.0.11, package: Open MPI"
HAN = ("coll_han_allreduce_dynamic_global_communicator_module", "3")
SMALL, LARGE = 8, 80_000


def offered(operation: str, *names: str) -> list[Offered]:
    return [
        Offered(operation, name, number, f"coll_tuned_{operation}_algorithm") for number, name in enumerate(names, 1)
    ]


TUNED = Library(
    "openmpi",
    "5.0.11",
    "mpirun",
    [
        *offered("allreduce", "basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring"),
        *offered("alltoall", "linear", "pairwise"),
    ],
    {"allreduce": HAN},
    [Offered("allreduce", "han simple", 2, "coll_han_use_allreduce_algorithm")],
)
MPICH = Library(
    "mpich",
    "5.0.2",
    "mpiexec",
    [
        Offered(operation, name, None, f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM")
        for operation, name in (("alltoall", "scattered"), ("allreduce", "recursive_doubling"), ("allreduce", "smp"))
    ],
    {"alltoall": ("MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE", "0")},
)


@pytest.fixture(autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretends that TUNED is the installed MPI library, or the library that the test gives as its parameter."""

    def stand_in(*_: object) -> Library:
        return getattr(request, "param", TUNED)

    monkeypatch.setattr(setting, "installed", stand_in)


def run_doubling(*kinds: tuple[str, int], iterations: int = 20) -> LibraryRun:
    """A run by recursive doubling, which crosses between the sites three times in sequence. A byte takes 10 ns."""
    network = sites()
    network.per_byte = 10
    run = LibraryRun(network)
    iterate(run, iterations, kinds=kinds or [("MPI_Allreduce", SMALL)])
    return run


def by_name(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in table.to_pylist()}


def test_the_best_of_what_the_library_has_is_written_as_it_reads_it(tmp_path: Path) -> None:
    # Doubling crosses the slow link three times in sequence; sending all to the root and back crosses it twice.
    table = remap(run_doubling().trace(), tmp_path / "rules", library="openmpi")
    best = table.to_pylist()[0]
    assert (best["name"], best["chosen"]) == ("basic_linear", True)
    assert best["predicted_ns"] == pytest.approx(41 * MS, rel=0.02)
    assert best["gain_low"] < best["gain"] == pytest.approx(1 - 41 / 61, abs=0.01)
    rules = read_rules((tmp_path / "rules").read_text())
    algorithms = [[row.algorithm for row in rules_for(rules, "allreduce", 8, size)] for size in (0, 7, 8, 9)]
    assert algorithms == [[0], [0], [1], [0]]  # the run has only messages of 8 bytes
    words = (table.schema.metadata or {})[b"words"].decode()
    assert f"--mca coll_tuned_dynamic_rules_filename {tmp_path / 'rules'} --mca {' '.join(HAN)}" in words
    assert sentence(table).startswith("basic_linear of Open MPI 5.0.11 would take 41.")


def test_what_cannot_be_predicted_is_listed_with_the_reason_and_what_makes_it_run() -> None:
    trace = run_doubling().trace().with_column("run", "mpi_library", [OPEN_MPI])
    by_name = {candidate.name: candidate for candidate in candidates(trace, "setting")}
    reasons = {
        name: candidate.reason_unpredicted for name, candidate in by_name.items() if candidate.reason_unpredicted
    }
    assert {name: reason.split()[:3] for name, reason in reasons.items()} == {
        "nonoverlapping": ["it", "calls", "other"],
        "ring": ["it", "cuts", "messages"],
        "segmented_ring": ["the", "plan", "has"],
        "han simple": ["other", "components", "choose"],
    }
    assert all(by_name[name].predicted_gain is None for name in reasons)
    (choice,) = by_name["nonoverlapping"].choices
    assert (choice.algorithm.number, choice.ranks, choice.from_bytes, choice.to_bytes) == (2, 8, 8, 8)
    assert by_name["nonoverlapping"].besides == (HAN,)
    assert by_name["han simple"].besides == (("coll_han_use_allreduce_algorithm", "2"),)


def test_the_algorithm_that_ran_is_no_candidate() -> None:
    run = run_doubling()
    run.algorithm = "recursive-doubling"
    assert by_name(remap(run.trace(), library="openmpi"))["recursive_doubling"]["not_predicted"] == "it is the baseline"


def test_where_nothing_gains_nothing_is_written(tmp_path: Path) -> None:
    one_host = Network(["a"] * 8, {"a": "A"}, {"shm": 2_000})
    table = remap(iterate(LibraryRun(one_host), 20).trace(), tmp_path / "rules", library="openmpi")
    assert not any(table["chosen"].to_pylist()) and not (tmp_path / "rules").exists()
    assert sentence(table).startswith("No setting is suggested: the best candidate, ")
    assert b"words" not in (table.schema.metadata or {})


def test_each_range_of_bytes_has_rules_of_its_own(tmp_path: Path) -> None:
    # Behind the root's tree, ranks enter the doubling one after another, so one change gains as much as both.
    trace = run_doubling(("MPI_Allreduce", SMALL), ("MPI_Allreduce", LARGE), iterations=40).trace()
    rows = remap(trace, tmp_path / "rules", library="openmpi").to_pylist()
    assert (rows[0]["name"], rows[0]["chosen"]) == ("basic_linear for MPI_Allreduce of 80,000 B", True)
    rules, sizes = read_rules((tmp_path / "rules").read_text()), (SMALL, LARGE - 1, LARGE, LARGE + 1)
    assert [rules_for(rules, "allreduce", 8, size)[0].algorithm for size in sizes] == [0, 0, 1, 0]
    alone = {(row["bytes_min"], row["bytes_max"]) for row in rows if row["predicted_ns"] and not row["baseline"]}
    assert alone == {(SMALL, SMALL), (LARGE, LARGE)} and len({row["name"] for row in rows}) == len(rows)


@pytest.mark.parametrize("library", [MPICH], indirect=True)
def test_a_variable_is_for_all_sizes_and_what_keeps_the_device_from_it_is_set_too(tmp_path: Path) -> None:
    trace = run_doubling(("MPI_Alltoall", SMALL), ("MPI_Alltoall", LARGE), iterations=40).trace()
    table = remap(trace, tmp_path / "vars", library="mpich")
    assert table.to_pylist()[0]["chosen"], sentence(table)
    lines = (tmp_path / "vars").read_text().splitlines()
    assert lines == [
        "export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=scattered",
        "export MPIR_CVAR_ALLTOALL_DEVICE_COLLECTIVE=0",
    ]


def test_a_rule_is_predicted_on_every_communicator_that_it_reaches() -> None:
    # Every other Allreduce is on a second communicator of the same ranks, in another order.
    trace = run_doubling(iterations=40).trace().with_communicator([0, 2, 1, *range(3, 8)], is_used=True)
    parts = with_parts(source_of(trace.table), "openmpi").subject.parts
    assert (len(parts), knobs_of(parts, "openmpi"), knobs_of(parts, None)) == (2, [(0, 1)], [(0,), (1,)])
    best = remap(trace, library="openmpi").to_pylist()[0]
    assert (best["name"], best["comm"]) == ("basic_linear", None)
    # The Allreduce of each communicator takes 41 ms. If only one of them had changed, both together would take 41 + 61.
    assert best["predicted_ns"] == pytest.approx(2 * 41 * MS, rel=0.03)


def test_it_is_said_of_how_few_collectives_the_trace_has_all_messages() -> None:
    # Regression: MPICH 5 uses shared memory instead of messages. Only 2 of 60 Allreduces had their messages; they took
    # 27 ms, but an iteration of the run 72 ms.
    trace = run_doubling().trace().with_column("collectives", "native_reason", [None] * 5 + ["silent"] * 15)
    warning = "The trace has all messages of only 5 of 20 collectives of MPI_Allreduce"
    assert warning in sentence(remap(trace, library="openmpi")) and warning in sentence(remap(trace))


@pytest.mark.parametrize(("flavour", "variable"), [("openmpi", "NATIVE=1"), ("mpich", "NATIVE=mpich")])
def test_without_the_library_s_messages_it_is_said_what_records_them(flavour: str, variable: str) -> None:
    trace = run_doubling(iterations=5).trace()
    trace.tables["hops"] = trace.tables["hops"].slice(0, 0)
    with pytest.raises(InputError, match=f"nothing to fit a model to; run the program again with HOPSCOPE_{variable}"):
        remap(trace, library=flavour)


def test_without_its_messages_all_that_the_library_has_is_a_candidate_without_a_prediction() -> None:
    trace = run_doubling(iterations=5).trace().with_column("run", "mpi_library", [OPEN_MPI])
    trace.tables["hops"] = trace.tables["hops"].slice(0, 0)
    offers = candidates(trace, "setting")
    assert [entry.choices[0].algorithm.name for entry in offers] == [entry.name for entry in TUNED.algorithms[:5]]
    assert all(entry.predicted_gain is None and entry.besides == (HAN,) for entry in offers)
    assert offers[0].choices[0][1:4] == (8, SMALL, SMALL) and "nothing to fit a model to" in (
        offers[0].reason_unpredicted or ""
    )


def test_of_emulated_links_nothing_is_promised_for_a_library() -> None:
    trace = iterate(Run(sites(), {"shape": "chain"}), 5).trace().with_column("run", "emulated", ["{}"])
    with pytest.raises(InputError, match="emulated links, which do not delay"):
        remap(trace, library="openmpi")


@pytest.mark.parametrize(
    ("flavour", "recorded_version", "launcher", "problem"),
    [
        ("mpich", OPEN_MPI, None, "made with Open MPI v5.0.11, so it does not show what MPICH spends"),
        ("openmpi", None, None, "made with an unknown MPI library"),
        ("openmpi", "Open MPI v0.1.2, x", None, "its launcher is not on PATH"),
        ("openmpi", "Open MPI v0.1.2, x", "sh", r"sh is not its launcher \(none was found\); .* with --launcher"),
    ],
)
def test_a_library_that_cannot_be_asked_is_said_with_what_to_do(
    flavour: str, recorded_version: str | None, launcher: str | None, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        installed(flavour, recorded_version, launcher)
    names = (OPEN_MPI, "MPICH Version:      5.0.2\nx", "Intel(R) MPI Library 2021", "Another MPI", None)
    assert [flavour_of(name) for name in names] == ["openmpi", "mpich", "intelmpi", None, None]
