"""The page Compare, without a browser: a program over two trees, one without hops, and a rebuilt program. Its numbers
are those of the command."""

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import hopscope
import local_mpi
import pytest
from asked_app import AskedApp
from comparison_cells import numbers
from conftest import PROGRAMS, run_of_one_late
from drawn_page import DrawnPage, components, draw, text
from hopscope.format import quantities
from hopscope.render.machine import as_csv
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.navigation.traces import Traces
from sample_copy import open_copy

RUNS = {"base": "changed_tree/base", "new": "changed_tree/new", "unseen": "observe_only/trace"}

Runs = dict[str, hopscope.Trace]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return {name: open_copy(path, tmp_path_factory.mktemp(name)) for name, path in RUNS.items()}


@pytest.fixture(scope="module")
def page(runs: Runs) -> DrawnPage:
    """The page that compares the samples. The first one is the base."""
    return draw(Traces(list(runs.values())).members[0], "/compare")


def name_of(trace: hopscope.Trace) -> str:
    return trace.identity[:8]


def categories(page: DrawnPage) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in page.table("compare-categories")}


def edges(trace: hopscope.Trace, role: str, collective: str = "0:0") -> set[str]:
    rows = trace.algorithms(collective=collective).to_pylist()
    return {f"{row['src']}-{row['dst']}" for row in rows if row["role"] == role}


def drawn_edges(page: DrawnPage, drawing: str, look: str = "edge") -> set[str]:
    """The edges of a drawing that have this look."""
    parts = re.findall(r'<g class="(edge[^"]*)" data-part="edge-([^"]*)"', page.markup(drawing))
    return {edge for looks, edge in parts if look in looks.split()}


def test_both_critical_paths_have_the_rows_of_the_command_and_lead_to_the_run_that_they_are_of(
    page: DrawnPage, runs: Runs
) -> None:
    rows = runs["new"].compare(by="path", base=runs["base"]).to_pylist()
    parts = {part: [row for row in rows if row["part"] == part] for part in ("category", "operation", "edge")}
    of_category = {row["name"]: row for row in parts["category"]}
    assert categories(page) == {name: numbers(row) for name, row in of_category.items()}
    bars = page.plot("compare-paths")
    for bar in bars:
        row = of_category[str(bar["name"])]
        assert bar["x"] == pytest.approx([row["base_ns"] / 1e6, row["new_ns"] / 1e6])
    assert [row[1:] for row in page.table("compare-parts")] == [numbers(row) for row in parts["operation"]]
    by_edge = page.follow("edge")
    assert by_edge.table("compare-parts") == [[row["name"], *numbers(row)] for row in parts["edge"]]
    # Regression: rows and bars had no links. An edge that only the new run has leads to that run's hops.
    only_new = next(row for row in parts["edge"] if not row["base_ns"])
    src, dst = only_new["name"].split("->")
    leads = [str(getattr(part, "href", "")) for part in components(by_edge.part("compare-parts"))]
    (lead,) = [lead for lead in leads if f"edge={src}-{dst}" in lead]
    hops = by_edge.go(lead)
    assert f"Hops from rank {src} to rank {dst} over time" in hops.text
    assert hops.data.identity == name_of(runs["new"])
    base, new = page.marks("compare-paths")[[bar["name"] for bar in bars].index("wan")]
    assert (page.go(base).data.identity, page.go(new).data.identity) == (name_of(runs["base"]), name_of(runs["new"]))
    assert urlsplit(new).path == "/wan-share"


@pytest.mark.parametrize("role", ["up", "down"])
def test_the_edges_that_one_run_has_alone_are_marked_and_no_others(page: DrawnPage, runs: Runs, role: str) -> None:
    page = page if role == "up" else page.follow("down, from the root")
    base, new = (edges(runs[run], role) for run in ("base", "new"))
    assert base - new
    assert base & new
    for run, run_edges, peer_edges in (("base", base, new), ("new", new, base)):
        assert drawn_edges(page, f"compare-tree-{run}", "changed") == run_edges - peer_edges
        assert drawn_edges(page, f"compare-tree-{run}", "kept") == run_edges & peer_edges
    words = {row[0].replace(" → ", "-"): row[1] for row in page.table("compare-edges")}
    shared_edges = dict.fromkeys(base & new, "both")
    assert words == {**shared_edges, **dict.fromkeys(base - new, "only base"), **dict.fromkeys(new - base, "only new")}
    assert text(page.part("compare-trees-said")) == (
        f"{len(base - new)} edges only in base, {len(new - base)} only in new, {len(base & new)} in both."
    )
    markup = page.markup("compare-tree-new")
    assert markup.count("Only the new run has this edge.") == len(new - base)
    # The drawing is about the new run. Regression: an edge led to the base's hops, but the base has none on this edge.
    parts_of_new = [
        part for part in components(page.component) if getattr(part, "data-trace", None) == name_of(runs["new"])
    ]
    assert any(getattr(part, "id", None) == "compare-tree-new" for part in components(parts_of_new))


def test_of_several_trees_for_one_operation_the_one_that_is_drawn_can_be_chosen(runs: Runs, tmp_path: Path) -> None:
    # Regression: only the most frequent tree was drawn. The engine ran this sample's MPI_Bcast over two trees.
    bcast_trace = open_copy("many_collectives/trace", tmp_path)
    kinds = [row for row in bcast_trace.algorithms().to_pylist() if row["op"] == "MPI_Bcast" and row["comm"] == 0]
    frequent, rare = sorted(kinds, key=lambda row: -row["collectives"])
    page = draw(Traces([runs["base"], bcast_trace]).members[0], "/compare?op=MPI_Bcast&comm=0")
    lists = [part.id["name"] for part in components(page.component) if type(part).__name__ == "Select"]
    assert "Drawn of new" in lists
    assert "Drawn of base" not in lists
    first, second = (edges(bcast_trace, "down", row["first"]) for row in (frequent, rare))
    assert first - second and second - first
    assert drawn_edges(page, "compare-tree-new") == first
    options = page.options("Drawn of new")
    assert len(options) == 2
    (address,) = [lead for words, lead in options.items() if words.endswith(f"from {rare['first']}")]
    assert drawn_edges(page.go(address), "compare-tree-new") == second


def test_one_collective_of_both_runs_has_one_scale_and_leads_on(page: DrawnPage, runs: Runs) -> None:
    worst = runs["base"].collectives(order="worst", limit=1).to_pylist()[0]
    for row, run in zip(page.table("compare-collective"), ("base", "new"), strict=True):
        fact = runs[run].collectives(comm=worst["comm"], seq=worst["seq"]).to_pylist()[0]
        assert row[:2] == [run, worst["collective"]]
        assert row[3:5] == [quantities.duration(fact["duration_ns"]), quantities.duration(fact["after_last_enter_ns"])]
    spans = [page.part(f"compare-timeline-{run}").collective for run in ("base", "new")]
    assert len({span["to"] - span["from"] for span in spans}) == 1
    next_page = page.follow("next")
    assert [row[1] for row in next_page.table("compare-collective")] == 2 * [f"0:{worst['next_seq']}"]


def test_the_selected_part_holds_for_both_runs_which_can_be_swapped(page: DrawnPage, runs: Runs) -> None:
    page = page.go("?from=i:10&to=i:40&ranks=0,1")
    part = {"from_": "i:10", "to": "i:40", "ranks": "0,1"}
    rows = runs["new"].compare(by="path", base=runs["base"], **part).to_pylist()
    assert categories(page) == {row["name"]: numbers(row) for row in rows if row["part"] == "category"}
    assert "Base: base, new: new." in page.text
    swapped = page.follow("Swap base and new")
    assert "Base: new, new: base." in swapped.text
    rows = runs["base"].compare(by="path", base=runs["new"], **part).to_pylist()
    assert categories(swapped) == {row["name"]: numbers(row) for row in rows if row["part"] == "category"}
    assert categories(swapped) != categories(page)


def test_another_trace_is_chosen_from_a_list_and_a_run_is_not_compared_with_itself(page: DrawnPage, runs: Runs) -> None:
    options = page.options("Compare with")
    assert list(options) == ["new", "trace"]
    assert text(page.go(options["trace"]).part("compare-verdict")) == "These runs cannot be compared."
    self_page = page.go(f"?with={name_of(runs['base'])}")
    assert "The address compares a run with itself; another run is shown." in self_page.text
    assert "Base: base, new: new." in self_page.text


def test_every_row_of_a_comparison_is_saved_as_its_command_writes_them(page: DrawnPage, runs: Runs) -> None:
    # Regression: the buttons saved only the rows on the page, as the page words them.
    app = AskedApp(create_app(list(runs.values())))
    page = page.go(f"?with={name_of(runs['new'])}")
    saves = [str(getattr(part, "href", "")) for part in components(page.component) if hasattr(part, "data-save")]
    for grouping in ("operation", "structure"):
        (address,) = [save for save in saves if parse_qs(urlsplit(save).query).get("by") == [grouping]]
        assert app.client.get(address).text == as_csv(runs["new"].compare(base=runs["base"], by=grouping))


@pytest.fixture(scope="module")
def rebuilt(first_mpi: local_mpi.LocalMpi, tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """The program of `late_trace` with three lines inserted at its beginning, built again and run with an equally late
    rank."""
    folder = tmp_path_factory.mktemp("rebuilt")
    source = folder / "one_late.c"
    source.write_text("\n\n\n" + (PROGRAMS / "one_late.c").read_text())
    return run_of_one_late(first_mpi, source, folder / "trace")


@pytest.mark.browsers
def test_a_rebuilt_program_over_the_librarys_own_messages_is_compared_place_by_place(
    late_trace: hopscope.Trace, rebuilt: hopscope.Trace
) -> None:
    def line(trace: hopscope.Trace, function: str) -> str:
        return next(row["place"] for row in trace.table("places").to_pylist() if row["function"] == function)

    page = draw(Traces([late_trace, rebuilt]).members[0], "/compare")
    operations = {row[0] for row in page.table("compare-times")}
    for operation, function in (("MPI_Bcast", "share_limit"), ("MPI_Allreduce", "norm")):
        base, new = line(late_trace, function), line(rebuilt, function)
        assert base != new
        assert f"{operation} {new}, in the base {base}" in operations
    assert "Places that differ between the two runs were matched by their function: " in page.text
    assert not re.search("new|gone", text(page.part("compare-operations")))
    times = {row[0]: row[1] for row in page.table("compare-categories")}
    for row in late_trace.critical_path().to_pylist():
        if row["time_ns"]:
            assert times[row["category"]].startswith(quantities.duration(row["time_ns"]))
    # Both runs have known messages, with the same senders and receivers.
    assert "Both runs have the same " in text(page.part("compare-trees-said"))
    assert page.has("compare-timeline-new")
