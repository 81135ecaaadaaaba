"""The page Compare on real runs: a program over two trees, and one without hops. Its numbers are the command's."""

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import hopscope
import local_mpi
import pytest
from conftest import PROGRAMS, Serve, run_of_one_late
from hopscope import quantities
from hopscope.render.machine import as_csv
from playwright.sync_api import Page, expect
from reading import click_mark, is_there, plot, point_at_edge, table

SAMPLES = Path(__file__).parents[2] / "sample_traces"
RUNS = {
    "base": SAMPLES / "changed_tree" / "base",
    "new": SAMPLES / "changed_tree" / "new",
    "unseen": SAMPLES / "observe_only" / "trace",
}
RANGES = """() => ["base", "new"].map(
    run => document.querySelector(`#compare-timeline-${run} .js-plotly-plot`).layout.xaxis.range.slice())"""

Runs = dict[str, hopscope.Trace]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The samples' traces, copied: a dataset is made beside each."""
    folder = tmp_path_factory.mktemp("compared")
    for name, source in RUNS.items():
        shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("dataset"))
    return {name: hopscope.open(folder / name) for name in RUNS}


@pytest.fixture(scope="module")
def served(runs: Runs, serve: Serve) -> str:
    """Where the page about the samples is served."""
    return f"{serve(list(runs.values()))}/compare"


@pytest.fixture(scope="module")
def rebuilt(first_mpi: local_mpi.LocalMpi, tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """The program of `one_late` with three lines put in front of it, built again and run with as late a rank."""
    folder = tmp_path_factory.mktemp("rebuilt")
    source = folder / "one_late.c"
    source.write_text("\n\n\n" + (PROGRAMS / "one_late.c").read_text())
    return run_of_one_late(first_mpi, source, folder / "trace")


def named(trace: hopscope.Trace) -> str:
    return trace.identity[:8]


def of_trace(page: Page) -> str:
    """The trace that the address names."""
    return parse_qs(urlsplit(page.url).query)["trace"][0]


def numbers(row: dict[str, Any]) -> list[str]:
    def time(run: str) -> str:
        shown, low, high = quantities.duration(row[f"{run}_ns"]), row.get(f"{run}_low_ns"), row.get(f"{run}_high_ns")
        return shown if low is None or not row[f"{run}_ns"] else f"{shown}\n{quantities.interval(low, high, 'ns')}"

    return [
        time("base"),
        time("new"),
        *([quantities.share(row["base_share"]), quantities.share(row["new_share"])] if "base_share" in row else []),
        quantities.share(row["change"]),
        quantities.interval(row["change_low"], row["change_high"]),
        row["verdict"],
    ]


def edges(trace: hopscope.Trace, phase: str, collective: str = "0:0") -> set[str]:
    rows = trace.algorithms(collective=collective).to_pylist()
    return {f"edge-{row['src']}-{row['dst']}" for row in rows if row["phase"] == phase}


def marked(page: Page, drawing: str, look: str) -> set[str]:
    page.locator(f"#{drawing} .edge").first.wait_for()
    return set(page.eval_on_selector_all(f"#{drawing} .edge.{look}", "all => all.map(each => each.dataset.part)"))


def no_hidden_overflow(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll("#content .table-frame, #content .card")]
            .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.outerHTML.slice(0, 200))"""
    )
    return found


def test_both_critical_paths_are_bars_of_one_scale_and_their_rows_those_of_the_command(
    page: Page, served: str, runs: Runs
) -> None:
    page.goto(served)
    rows = runs["new"].compare(by="path", base=runs["base"]).to_pylist()
    of_part = {part: [row for row in rows if row["part"] == part] for part in ("category", "operation", "edge")}
    categories = {row["name"]: row for row in of_part["category"]}
    assert {row[0]: row[1:] for row in table(page, "compare-categories")} == {
        name: numbers(row) for name, row in categories.items()
    }
    for bar in plot(page, "compare-paths"):
        row = categories[str(bar["name"])]
        assert bar["x"] == pytest.approx([row["base_ns"] / 1e6, row["new_ns"] / 1e6])
    assert [row[1:] for row in table(page, "compare-parts")] == [numbers(row) for row in of_part["operation"]]
    page.get_by_role("link", name="edge", exact=True).click()
    page.wait_for_url(re.compile("by=edge"))
    expect(page.locator("#compare-parts th").first).to_have_text("edge")
    assert table(page, "compare-parts") == [[row["name"], *numbers(row)] for row in of_part["edge"]]
    # Rows and bars were dead. An edge that only the new run has leads to that run's hops.
    only_new = next(row["name"] for row in of_part["edge"] if not row["base_ns"])
    lead = page.locator("#compare-parts tr", has=page.get_by_role("cell", name=only_new, exact=True)).get_by_role(
        "link"
    )
    expect(lead).to_have_count(1)
    lead.click()
    src, dst = only_new.split("->")
    expect(page.locator("#content")).to_contain_text(f"Hops from rank {src} to rank {dst} over time")
    assert of_trace(page) == named(runs["new"])
    page.go_back()
    is_there(page, "Compare")
    wan = [bar["name"] for bar in plot(page, "compare-paths")].index("wan")
    click_mark(page, "compare-paths", 1, series=wan)
    expect(page.locator("h1")).to_have_text("WAN share")
    assert of_trace(page) == named(runs["new"])


def test_the_edges_that_one_run_has_alone_are_marked_and_no_others(page: Page, served: str, runs: Runs) -> None:
    page.goto(served)
    for phase in ("up", "down"):
        if phase == "down":
            page.get_by_role("link", name="down, from the root").click()
            page.wait_for_url(re.compile("phase=down"))
        base, new = (edges(runs[run], phase) for run in ("base", "new"))
        assert base - new
        assert base & new
        expect(page.locator(f'#compare-tree-new [data-part="{min(new - base)}"]')).to_be_attached()
        for run, own, other in (("base", base, new), ("new", new, base)):
            assert marked(page, f"compare-tree-{run}", "changed") == own - other
            assert marked(page, f"compare-tree-{run}", "kept") == own & other
        words = {f"edge-{row[0].replace(' → ', '-')}": row[1] for row in table(page, "compare-edges")}
        both = dict.fromkeys(base & new, "both")
        assert words == {**both, **dict.fromkeys(base - new, "only base"), **dict.fromkeys(new - base, "only new")}
        expect(page.locator("#compare-trees-said")).to_have_text(
            f"{len(base - new)} edges only in base, {len(new - base)} only in new, {len(base & new)} in both."
        )
    # Not by colour alone: dashes, and words.
    dashes = "each => getComputedStyle(each).strokeDasharray"
    assert page.locator("#compare-tree-new .changed .line").first.evaluate(dashes) != "none"
    assert page.locator("#compare-tree-new .kept .line").first.evaluate(dashes) == "none"
    only_new = min(edges(runs["new"], "down") - edges(runs["base"], "down"))
    point_at_edge(page, only_new)
    expect(page.locator("#compare-tree-new .told")).to_contain_text("Only the new run has this edge.")
    # It led to the base's hops, which has none there.
    page.mouse.down()
    page.mouse.up()
    src, dst = only_new.split("-")[1:]
    expect(page.locator("#content")).to_contain_text(f"Hops from rank {src} to rank {dst} over time")
    assert of_trace(page) == named(runs["new"])


@pytest.mark.browsers
def test_of_several_trees_for_one_operation_the_one_that_is_drawn_can_be_chosen(
    page: Page, serve: Serve, runs: Runs, tmp_path: Path
) -> None:
    # Only what ran most often was drawn. The engine ran this sample's MPI_Bcast over two trees.
    source = SAMPLES / "many_collectives" / "trace"
    many = hopscope.open(shutil.copytree(source, tmp_path / "many", ignore=shutil.ignore_patterns("dataset")))
    kinds = [row for row in many.algorithms().to_pylist() if row["op"] == "MPI_Bcast" and row["comm"] == 0]
    often, other = sorted(kinds, key=lambda row: -row["collectives"])
    page.goto(f"{serve([runs['base'], many])}/compare?op=MPI_Bcast&comm=0")
    expect(page.get_by_text("Drawn of base")).to_have_count(0)
    expect(page.get_by_text("Drawn of new (2)")).to_be_visible()
    first, second = (edges(many, "down", row["first"]) for row in (often, other))
    assert first - second and second - first
    drawn = page.locator("#compare-tree-new")
    expect(drawn.locator(f'[data-part="{min(first - second)}"]')).to_be_attached()
    page.get_by_role("textbox", name="Drawn of new").or_(page.get_by_role("combobox", name="Drawn of new")).click()
    page.get_by_role("option", name=re.compile(f"from {other['first']}$")).click()
    page.wait_for_url(re.compile("new-ran="))
    expect(drawn.locator(f'[data-part="{min(second - first)}"]')).to_be_attached()
    expect(drawn.locator(f'[data-part="{min(first - second)}"]')).not_to_be_attached()


def test_one_collective_of_both_runs_has_one_scale_which_zooming_keeps(page: Page, served: str, runs: Runs) -> None:
    page.goto(served)
    worst = runs["base"].collectives(order="worst", limit=1).to_pylist()[0]
    shown = table(page, "compare-collective")
    for row, run in zip(shown, ("base", "new"), strict=True):
        fact = runs[run].collectives(comm=worst["comm"], seq=worst["seq"]).to_pylist()[0]
        assert row[:2] == [run, worst["collective"]]
        assert row[3:5] == [quantities.duration(fact["duration_ns"]), quantities.duration(fact["after_last_enter_ns"])]
    plot(page, "compare-timeline-base")
    plot(page, "compare-timeline-new")
    before = page.evaluate(RANGES)
    assert before[0] == before[1]
    drawing = page.locator("#compare-timeline-new .nsewdrag").first
    drawing.scroll_into_view_if_needed()
    box = drawing.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"], steps=5)
    page.mouse.up()
    expect(page.locator("#compare-timeline-new")).to_be_visible()
    same = "now[0][0] === now[1][0] && now[0][1] === now[1][1]"
    page.wait_for_function(
        f"before => {{ const now = ({RANGES})(); return now[0][0] > before[0][0] && {same} }}", arg=before
    )
    page.get_by_role("link", name="next", exact=True).click()
    page.wait_for_url(re.compile(r"collective=0%3A"))
    expect(page.locator("#compare-collective tbody a").first).to_have_text(f"0:{worst['next_seq']}")
    is_there(page, "Compare")
    click_mark(page, "compare-timeline-new", 0)
    page.wait_for_url(re.compile("/(timeline|delayed-hops)"))
    assert of_trace(page) == named(runs["new"])


def test_the_selected_part_holds_for_both_runs_and_swapping_and_back_work(page: Page, served: str, runs: Runs) -> None:
    page.goto(f"{served}?from=i:10&to=i:40&ranks=0,1")
    part = {"from_": "i:10", "to": "i:40", "ranks": "0,1"}
    rows = runs["new"].compare(by="path", base=runs["base"], **part).to_pylist()
    categories = {row["name"]: numbers(row) for row in rows if row["part"] == "category"}
    assert {row[0]: row[1:] for row in table(page, "compare-categories")} == categories
    page.get_by_role("link", name="Swap base and new").click()
    expect(page.locator(".lead").first).to_contain_text("Base: new New: base")
    expect(page).to_have_title("Compare · new · Hopscope")
    rows = runs["base"].compare(by="path", base=runs["new"], **part).to_pylist()
    swapped = {row["name"]: numbers(row) for row in rows if row["part"] == "category"}
    assert {row[0]: row[1:] for row in table(page, "compare-categories")} == swapped
    page.go_back()
    expect(page).to_have_title("Compare · base · Hopscope")
    expect(page.locator(".lead").first).to_contain_text("Base: base New: new")
    assert {row[0]: row[1:] for row in table(page, "compare-categories")} == categories


@pytest.mark.browsers
def test_another_trace_is_chosen_from_a_list_and_nothing_is_cut_on_a_small_window(
    page: Page, served: str, runs: Runs
) -> None:
    page.set_viewport_size({"width": 1024, "height": 800})
    page.goto(served)
    expect(page.locator("#compare-timeline-new .main-svg").first).to_be_visible()
    assert no_hidden_overflow(page) == []
    page.get_by_role("combobox", name="Compare with").or_(page.get_by_role("textbox", name="Compare with")).click()
    page.get_by_role("option", name="unseen", exact=True).click()
    expect(page.locator("#compare-verdict")).to_have_text("These runs cannot be compared.")
    assert no_hidden_overflow(page) == []
    page.goto(f"{served}?with={named(runs['base'])}")
    expect(page.locator("#content")).to_contain_text("The address compares a run with itself; this is another one.")
    expect(page.locator(".lead").first).to_contain_text("Base: base New: new")


@pytest.mark.browsers
def test_a_rebuilt_program_over_the_librarys_own_messages_is_compared_place_by_place(
    page: Page, serve: Serve, one_late: hopscope.Trace, rebuilt: hopscope.Trace
) -> None:
    def line(trace: hopscope.Trace, function: str) -> str:
        return next(row["place"] for row in trace.table("places").to_pylist() if row["function"] == function)

    page.goto(f"{serve([one_late, rebuilt])}/compare")
    shown = {row[0] for row in table(page, "compare-times")}
    for operation, function in (("MPI_Bcast", "share_limit"), ("MPI_Allreduce", "norm")):
        base, new = line(one_late, function), line(rebuilt, function)
        assert base != new
        assert f"{operation}\n{new}, in the base {base}" in shown
    expect(page.locator("#content")).to_contain_text(
        "Places that differ between the two runs were matched by their function: "
    )
    expect(page.locator("#compare-verdict")).not_to_contain_text("Only ")
    categories = {row[0]: row[1] for row in table(page, "compare-categories")}
    for row in one_late.critical_path().to_pylist():
        if row["time_ns"]:
            assert categories[row["category"]].startswith(quantities.duration(row["time_ns"]))
    # Who sent to whom is known of both, and is the same.
    expect(page.locator("#compare-trees-said")).to_contain_text("Both runs have the same ")
    plot(page, "compare-timeline-new")


def test_every_row_of_a_comparison_is_saved_as_its_command_writes_them(page: Page, served: str, runs: Runs) -> None:
    # Buttons saved only the rows that the page shows, in the page's words.
    page.goto(f"{served}?with={named(runs['new'])}")
    table(page, "compare-times")
    for name, by in (("compare-times", "operation"), ("compare-structure", "structure")):
        saves = page.locator(".exportable", has=page.locator(f"#{name}")).last.locator("[data-save=csv]")
        given = page.request.get(urljoin(page.url, saves.get_attribute("href"))).text()
        assert given == as_csv(runs["new"].compare(base=runs["base"], by=by))
