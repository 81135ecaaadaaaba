"""Several traces in one dashboard, without a browser: the trace that an address shows, and the parameters that remain
valid for another trace."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from asked_app import AskedApp, components_of
from drawn_page import components, draw, table, text
from hopscope import InputError
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.navigation.traces import Traces, distinct_names


@pytest.fixture(scope="module")
def app_of_both(trace: hopscope.Trace, trace_without_hops: hopscope.Trace) -> AskedApp:
    """An application with two traces: the solver with hops and without."""
    return AskedApp(create_app([trace, trace_without_hops]))


def offered(app: AskedApp, search: str) -> tuple[str, dict[str, str]]:
    """The text of the list of traces at an address, and the addresses of its entries."""
    answer = app.answer("trace-chooser.children", {"address.search": search}, changed="address.search")
    chooser = components_of(answer["response"]["trace-chooser"]["children"])
    leads = {option["label"]: option["value"] for option in chooser.data}
    return next(name for name, lead in leads.items() if lead == chooser.value), leads


def test_the_address_says_which_trace_a_page_shows_and_the_list_and_the_menu_say_the_same(
    app_of_both: AskedApp, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    title, leads = offered(app_of_both, "")
    assert title == "solver"
    assert list(leads) == ["solver", "observed"]
    for name, run in (("solver", trace), ("observed", trace_without_hops)):
        page = app_of_both.page(f"/critical-path{leads[name]}")
        assert page.title == f"Critical path · {name} · Hopscope"
        assert offered(app_of_both, leads[name])[0] == name
        (rows,) = [part for part in components(page.content) if getattr(part, "id", None) == "critical-path-table"]
        assert [[row[0], *row[2:4]] for row in table(rows)] == [
            [row["category"], quantities.duration(row["time_ns"]), quantities.share(row["share"])]
            for row in run.critical_path().to_pylist()
        ]
        identities = {parse_qs(urlsplit(link).query)["trace"][0] for link in page.links.values()}
        assert identities == {run.identity[:8]}


def test_choosing_another_trace_keeps_the_page_and_what_means_the_same_there(
    app_of_both: AskedApp, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    _, leads = offered(app_of_both, "?from=i:10&to=900000000&ranks=2,3&least_ms=5&root=0&collective=0:1")
    parameters = {name: values[0] for name, values in parse_qs(urlsplit(leads["observed"]).query).items()}
    assert parameters == {"from": "i:10", "ranks": "2,3", "least_ms": "5", "trace": trace_without_hops.identity[:8]}
    observed = Traces([trace, trace_without_hops]).members[1]
    rows = trace_without_hops.late_ranks(from_="i:10", ranks="2,3", least_ms=5).to_pylist()
    assert [row[2] for row in draw(observed, f"/late-ranks{leads['observed']}").table("late-ranks-table")] == [
        quantities.share(row["share"]) for row in rows
    ]


def test_what_a_page_asks_for_afterwards_is_asked_of_the_trace_shown(
    app_of_both: AskedApp, trace: hopscope.Trace, trace_without_hops: hopscope.Trace
) -> None:
    for run, data in zip((trace, trace_without_hops), Traces([trace, trace_without_hops]).members, strict=True):
        page = draw(data, f"/timeline?trace={run.identity[:8]}")
        (canvas,) = [part for part in components(page.component) if type(part).__name__ == "TimelineCanvas"]
        assert canvas.trace == run.identity[:8]
        columns = app_of_both.client.get(f"/_timeline/columns?trace={canvas.trace}").data
        assert (b'"wan"' in columns, b'"native"' in columns) == ((True, False) if run is trace else (False, True))
    remap_page = app_of_both.page(f"/remap?trace={trace_without_hops.identity[:8]}")
    assert "Without hops, nothing is known" in text(remap_page.content)
    assert "Without hops, nothing is known" not in text(app_of_both.page(f"/remap?trace={trace.identity[:8]}").content)


def test_a_trace_that_is_not_served_is_said_and_the_first_is_shown(app_of_both: AskedApp) -> None:
    page = app_of_both.page("/noise?trace=00000000")
    assert page.title == "Noise · solver · Hopscope"
    assert "This link was made for another trace" in text(page.content)


def test_the_same_trace_twice_and_one_that_does_not_open_end_the_command_before_it_serves(
    trace: hopscope.Trace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InputError, match="are the same trace"):
        create_app([trace, hopscope.open(trace.dataset)])
    for paths, problem in (
        ([trace.path, trace.path], "are the same trace; give each once"),
        ([trace.path, tmp_path / "gone"], "no such trace"),
        ([trace.path, tmp_path], str(tmp_path)),
    ):
        with pytest.raises(SystemExit) as exit_info:
            execute(program, "hopscope", ["dashboard", "--port", "0", *map(str, paths)])
        assert exit_info.value.code == 2
        assert problem in capsys.readouterr().err


def test_traces_are_called_by_as_much_of_their_paths_as_tells_them_apart() -> None:
    paths = [Path(text) for text in ("/a/x/trace", "/a/y/trace", "/b/y/trace", "/a/run")]
    assert distinct_names(paths) == ["x/trace", "a/y/trace", "b/y/trace", "run"]
