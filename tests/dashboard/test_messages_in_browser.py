"""The page Messages in a browser: the command's numbers, at 8 and at 64 ranks."""

from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope import quantities
from playwright.sync_api import Page, expect
from reading import plot, table
from simulated_run import SimulatedRun

SAMPLES = Path(__file__).parents[2] / "sample_traces"


def cells(page: Page) -> list[list[float | None]]:
    """The numbers of the matrix, a list per sender."""
    page.locator("#messages-matrix .js-plotly-plot .main-svg").first.wait_for()
    drawn: list[list[float | None]] = page.eval_on_selector(
        "#messages-matrix .js-plotly-plot", "plot => plot.data[0].z.map(row => Array.from(row))"
    )
    return drawn


def test_the_matrix_and_the_table_show_who_waited_for_whom(page: Page, address: str, trace: hopscope.Trace) -> None:
    page.goto(f"{address}/messages")
    rows = trace.messages().to_pylist()
    # Rank 3 computes 3 ms longer than the others, and its two neighbours wait for it in 40 iterations.
    waited = {(row["src"], row["dst"]): row["waiting_caused_ns"] for row in rows}
    assert min(waited[3, 2], waited[3, 4]) > 40 * 2e6
    drawn = cells(page)
    assert {
        (src, dst): cell for src, row in enumerate(drawn) for dst, cell in enumerate(row) if cell is not None
    } == waited
    assert [row[:4] for row in table(page, "messages-pairs")] == [
        [str(row["src"]), str(row["dst"]), row["link"], quantities.number(row["messages"])] for row in rows
    ]
    ranks = {row["rank"]: row for row in trace.messages(by="rank").to_pylist()}
    bars = {bar["name"]: bar["x"] for bar in plot(page, "messages-cost")}
    assert bars["others waited for it"] == pytest.approx([ranks[rank]["waiting_caused_ns"] / 1e6 for rank in range(8)])


def test_a_path_of_messages_is_shown_by_function_and_by_place(page: Page, serve: Serve) -> None:
    # 82 % of this run's path are messages, and no page once said in which calls.
    trace = hopscope.open(SAMPLES / "observe_only" / "trace")
    page.goto(serve(trace))
    page.locator("#findings").get_by_role("link", name="See the messages").click()
    spent = {by: trace.critical_path(by=by).to_pylist() for by in ("operation", "place")}
    for by, name in (("operation", "messages-on-path"), ("place", "messages-on-path-by-place")):
        bars = plot(page, name)[0]
        told = {row[by]: row["p2p_ns"] for row in spent[by] if row["p2p_ns"]}
        assert bars["y"] == sorted(told, key=told.__getitem__, reverse=True)
        assert [text.rpartition(": ")[2] for text in bars["hovertext"]] == [
            quantities.duration(told[each]) for each in bars["y"]
        ]
    # All of it is there, under both names.
    p2p = next(row["time_ns"] for row in trace.critical_path().to_pylist() if row["category"] == "p2p")
    assert {sum(row["p2p_ns"] for row in rows) for rows in spent.values()} == {p2p}


def test_the_matrix_is_by_host_or_cluster_and_of_bytes_where_that_is_chosen(
    page: Page, address: str, trace: hopscope.Trace
) -> None:
    page.goto(f"{address}/messages")
    page.get_by_role("link", name="cluster", exact=True).click()
    page.wait_for_url("**/messages?by=cluster")
    expect(page.locator("#messages-pairs tbody tr")).to_have_count(3)
    page.get_by_role("link", name="bytes", exact=True).click()
    page.wait_for_url("**/messages?by=cluster&show=bytes")
    expect(page.get_by_role("link", name="bytes", exact=True)).to_have_class("choice-link current")
    sent = {(row["src_cluster"], row["dst_cluster"]): row["bytes"] for row in trace.messages(by="cluster").to_pylist()}
    sites = ("site-a", "site-b")  # no two ranks of site-a are neighbours
    assert cells(page) == [[sent.get((src, dst)) for dst in sites] for src in sites]


def test_with_64_ranks_nothing_is_cut_at_any_width(page: Page, serve: Serve, tmp_path: Path) -> None:
    trace = hopscope.open(SimulatedRun(ranks=64, iterations=4).write(tmp_path / "solver"))
    address = serve(trace)
    for width in (1024, 1280, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{address}/messages")
        assert len(cells(page)) == 64
        wide = "[...document.querySelectorAll('.table-frame')].map(frame => frame.scrollWidth - frame.clientWidth)"
        assert max(page.evaluate(wide)) <= 0, width
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # 126 pairs of neighbours: the page says that its table does not hold all.
    expect(page.locator("#content")).to_contain_text("The first 100 of 126 pairs")


def test_a_trace_without_messages_says_why(page: Page, serve: Serve) -> None:
    page.goto(f"{serve(hopscope.open(SAMPLES / 'late_rank' / 'trace'))}/messages")
    expect(page.locator("#content")).to_contain_text("The program sent no messages of its own")
