"""Several traces in one dashboard: a list in the header chooses the one that every page, link and timeline shows."""

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from hopscope import InputError, quantities
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope_dashboard.app import create_app
from hopscope_dashboard.traces import distinct_names
from playwright.sync_api import Page, Request, expect
from reading import table
from werkzeug.serving import make_server


@pytest.fixture(scope="module")
def both(trace: hopscope.Trace, trace_without_hops: hopscope.Trace) -> Iterator[str]:
    """Where the solver with hops, and the same without, are served together."""
    server = make_server("127.0.0.1", 0, create_app([trace, trace_without_hops]).server, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def choose(page: Page, name: str) -> None:
    page.get_by_role("combobox", name="Trace").or_(page.get_by_role("textbox", name="Trace")).click()
    page.get_by_role("option", name=name, exact=True).click()


def asked(page: Page) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(page.url).query).items()}


def path_table(trace: hopscope.Trace) -> list[list[str]]:
    return [
        [row["category"], quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in trace.critical_path().to_pylist()
    ]


def shown_path(page: Page) -> list[list[str]]:
    return [[row[0], *row[2:4]] for row in table(page, "critical-path-table")]


def test_the_list_changes_the_pages_and_the_timeline_and_back_and_forward_undo_it(
    page: Page, both: str, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    timelines: list[str] = []

    def heard(request: Request) -> None:
        if "/_timeline/columns" in request.url:
            timelines.append(parse_qs(urlsplit(request.url).query)["trace"][0])

    page.on("request", heard)
    page.goto(both)
    chooser = page.locator("#trace-chooser input").first
    expect(chooser).to_have_value("solver")
    expect(page).to_have_title("Overview · solver · Hopscope")
    assert shown_path(page) == path_table(trace)
    choose(page, "observed")
    expect(page).to_have_title("Overview · observed · Hopscope")
    expect(chooser).to_have_value("observed")
    expect(page.locator("#whole-run")).to_have_attribute("data-state", "ready")
    assert shown_path(page) == path_table(trace_without_hops)
    assert shown_path(page) != path_table(trace)
    assert asked(page) == {"trace": trace_without_hops.identity[:8]}
    # A page that takes long shows the timeline before it, too.
    assert list(dict.fromkeys(timelines)) == [trace.identity[:8], trace_without_hops.identity[:8]]
    page.get_by_role("link", name="Collectives", exact=True).click()
    expect(page.locator("h1")).to_have_text("Collectives")
    assert asked(page)["trace"] == trace_without_hops.identity[:8]
    page.go_back()
    page.go_back()
    expect(page).to_have_title("Overview · solver · Hopscope")
    expect(chooser).to_have_value("solver")
    assert shown_path(page) == path_table(trace)
    page.go_forward()
    expect(page).to_have_title("Overview · observed · Hopscope")
    expect(chooser).to_have_value("observed")


def test_choosing_another_trace_keeps_the_page_and_what_means_the_same_there(
    page: Page, both: str, trace_without_hops: hopscope.Trace
) -> None:
    page.goto(f"{both}/late-ranks?from=i:10&to=900000000&ranks=2,3&least_ms=5")
    expect(page.locator("#selection")).to_contain_text("ranks 2,3")
    choose(page, "observed")
    expect(page).to_have_title("Late ranks · observed · Hopscope")
    assert asked(page) == {"from": "i:10", "ranks": "2,3", "least_ms": "5", "trace": trace_without_hops.identity[:8]}
    rows = trace_without_hops.late_ranks(from_="i:10", ranks="2,3", least_ms=5).to_pylist()
    assert [row[2] for row in table(page, "late-ranks-table")] == [quantities.share(row["share"]) for row in rows]


def test_what_a_page_asks_for_afterwards_is_asked_of_the_trace_shown(
    page: Page, both: str, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    page.goto(f"{both}/timeline?trace={trace_without_hops.identity[:8]}")
    legend = page.locator("#run-timeline .run-legend")
    expect(legend).to_contain_text("native")
    expect(legend).not_to_contain_text("wan")
    choose(page, "solver")
    expect(legend).to_contain_text("wan")
    expect(legend).not_to_contain_text("native")
    expect(page.locator("h1")).to_have_text("Timeline")
    page.goto(f"{both}/remap?trace={trace.identity[:8]}")
    expect(page.locator("#remap-candidates")).to_be_visible()
    choose(page, "observed")
    expect(page.locator("#content")).to_contain_text("Without hops, nothing is known")


def test_a_trace_that_is_not_served_is_said_and_the_first_is_shown(page: Page, both: str) -> None:
    page.goto(f"{both}/noise?trace=00000000")
    expect(page).to_have_title("Noise · solver · Hopscope")
    expect(page.locator("#selection")).to_contain_text("The link was made for another trace")


def test_the_same_trace_twice_and_one_that_does_not_open_end_the_command_before_it_serves(
    trace: hopscope.Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="are the same trace"):
        create_app([trace, hopscope.open(trace.dataset)])
    for paths, said in (
        ([trace.path, trace.path], "are the same trace; give each once"),
        ([trace.path, tmp_path / "gone"], "no such trace"),
        ([trace.path, tmp_path], str(tmp_path)),
    ):
        with pytest.raises(SystemExit) as ended:
            execute(program, "hopscope", ["dashboard", "--port", "0", *map(str, paths)])
        assert ended.value.code == 2
        assert said in capsys.readouterr().err


def test_traces_are_called_by_as_much_of_their_paths_as_tells_them_apart() -> None:
    paths = [Path(text) for text in ("/a/x/trace", "/a/y/trace", "/b/y/trace", "/a/run")]
    assert distinct_names(paths) == ["x/trace", "a/y/trace", "b/y/trace", "run"]
