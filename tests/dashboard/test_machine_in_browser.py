"""The page of a machine file: what a probe measured of a simulated machine, as `analyze model` says it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ServeApp
from hopscope import quantities
from hopscope.cli.analyze import analyze
from hopscope.probe import Budget, Prober, machine_content
from hopscope_dashboard.app import create_machine_app
from hopscope_dashboard.data import Machine
from playwright.sync_api import Browser, Page, expect
from reading import is_there, measured, plot, table
from served import Served, page_question
from simulated_machine import SimulatedLink, SimulatedMachine
from test_widths_in_browser import NARROWEST, WIDTHS, beyond, is_wider

HOSTS = {"a0": "A", "a1": "A", "a2": "A", "b0": "B", "b1": "B", "b2": "B"}
ODD = SimulatedLink(60_000, 3_000, 5_000, 2.0)
"""Of one pair of hosts, three times as far apart as the others of its cluster."""


def probed(file: Path, seconds: float) -> Path:
    """The machine file of a probe that was given so many seconds, of two ranks on each host."""
    ranks = [host for host in HOSTS for _ in range(2)]
    machine = SimulatedMachine(ranks, HOSTS, odd={frozenset(("a0", "a1")): ODD})
    measured = Prober(machine, Budget(seconds, machine.clock)).run()
    made = {"at": "2026-01-01T00:00:00+00:00", "command": ["mpirun", "-n", "12"], "library": "Some MPI", "ranks": 12}
    file.write_text(json.dumps(machine_content(measured, {**made, "seconds": seconds})))
    return file


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return probed(tmp_path_factory.mktemp("machine") / "machine.json", 600)


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a probe that had too little time for most of it."""
    return probed(tmp_path_factory.mktemp("hurried") / "machine.json", 8)


@pytest.fixture(scope="module")
def address(file: Path, serve_app: ServeApp) -> str:
    return serve_app(create_machine_app(Machine(file)))


@pytest.fixture(scope="module")
def hurried_address(hurried: Path, serve_app: ServeApp) -> str:
    return serve_app(create_machine_app(Machine(hurried)))


def usual(content: dict[str, Any], kind: str) -> str:
    """What the page calls the pair of hosts that stands for a class of links."""
    (link,) = [each for each in content["links"] if each["link"] == kind and not each["outlying"]]
    return f"{kind}, {' to '.join(link['hosts'])}"


def rows_of_command(file: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What `analyze model FILE` prints."""
    assert analyze.main(["model", str(file), "--format", "json"], standalone_mode=False) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_a_figure_for_each_link_has_what_was_measured_and_the_models_lines(
    page: Page, address: str, file: Path
) -> None:
    page.goto(address)
    is_there(page, "Machine")
    content = json.loads(file.read_text())
    expect(page.locator("#content .figures h3")).to_have_text(
        [*(usual(content, link) for link in ("shm", "lan", "wan")), "lan, a0 to a1 (outlying)"]
    )
    lan = next(link for link in content["links"] if link["link"] == "lan" and not link["outlying"])
    sizes = [each["bytes"] for each in lan["sizes"]]
    drawn = plot(page, "models-messages-1")
    ways = [each["one_way_ns"]["median"] for each in lan["sizes"]]
    unit = drawn[1]["y"][0] / ways[0]
    assert drawn[1]["x"] == sizes
    assert drawn[1]["y"] == pytest.approx([way * unit for way in ways])
    names = [each["hovertext"][0].partition("</b>")[0].removeprefix("<b>") for each in drawn]
    assert names == [
        "LogGP: g + (m - 1) G", "Hockney: α + mβ", "PLogP: g(m)", "g(m, 2)", "g(m, 4)", "PLogP: o_s(m)",
        "PLogP: o_r(m)",
    ]  # fmt: skip
    low, high = lan["sizes"][0]["one_way_ns"]["low"], lan["sizes"][0]["one_way_ns"]["high"]
    assert quantities.interval(low, high, "ns") in drawn[1]["hovertext"][0]


def test_the_tables_have_the_numbers_of_analyze_model(
    page: Page, address: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = rows_of_command(file, capsys)
    page.goto(address)
    shown = table(page, "models-parameters")
    same = [row for row in rows if row["bytes"] is None]
    wanted = [[row["parameter"], quantities.quantity(row["value"], row["unit"])] for row in same]
    assert sorted([row[2], row[3]] for row in shown) == sorted(wanted)
    by_size = {(row[0], row[1]): row for row in table(page, "machine-sizes")}
    for place, parameter in ((3, "alpha"), (4, "beta"), (5, "g"), (-2, "o_s"), (-1, "o_r")):
        row = next(
            each for each in rows
            if (each["link"], each["outlying"], each["bytes"], each["parameter"]) == ("lan", False, 1 << 16, parameter)
        )  # fmt: skip
        cell = by_size[usual(json.loads(file.read_text()), "lan"), "64 KiB"][place].split("\n")
        interval = quantities.interval(row["low"], row["high"], row["unit"])
        assert cell == [quantities.quantity(row["value"], row["unit"]), interval]


@pytest.mark.browsers
def test_hosts_clusters_certainty_and_odd_pairs_are_those_of_the_probe(page: Page, address: str, file: Path) -> None:
    page.goto(address)
    content = json.loads(file.read_text())
    assert [row[:2] for row in table(page, "machine-hosts")] == [list(pair) for pair in HOSTS.items()]
    certainty = quantities.share(content["levels"]["cluster"]["certainty"])
    assert table(page, "machine-levels")[1][-1] == certainty
    expect(page.locator(".key-figures")).to_contain_text(f"Clusters2certainty {certainty}")
    (odd,) = table(page, "machine-outlying")
    assert odd[:2] == ["lan", "a0 to a1"]
    assert f"lan, {odd[3]}" == usual(content, "lan")
    expect(page.locator("#machine-latencies .heatmaplayer image")).to_have_count(1)
    assert "host a0" in [row[0] for row in table(page, "machine-contention")]
    combining = table(page, "machine-combining")
    assert len(combining) == len({(e["operation"], e["type"]) for e in content["combining"]})
    first = content["combining"][0]["ns_per_byte"]
    interval = quantities.interval(first["low"], first["high"], None)
    assert combining[0][2] == f"{quantities.quantity(first['median'], None)} {interval}"


def test_what_was_not_measured_is_listed_and_has_no_number(page: Page, hurried_address: str, hurried: Path) -> None:
    content = json.loads(hurried.read_text())
    assert '"not measured"' in json.dumps(content["links"])
    page.goto(hurried_address)
    is_there(page, "Machine")
    listed = page.locator("#machine-unmeasured li")
    lacking = [
        size for link in content["links"] if link["link"] == "wan"
        for size in link["sizes"] if size["one_way_ns"] == "not measured"
    ]  # fmt: skip
    names = ", ".join(quantities.size(size["bytes"]) for size in lacking)
    expect(listed.filter(has_text="wan, ").first).to_contain_text(f"way of {names}")
    # A size of which nothing is known has no row of its own.
    sizes = {row[1] for row in table(page, "machine-sizes") if row[0].startswith("wan, ")}
    assert quantities.size(lacking[-1]["bytes"]) not in sizes
    expect(page.locator("#content .remarks").first).to_contain_text("values of links were not measured")


@pytest.mark.browsers
def test_a_probe_that_had_no_time_for_links_still_shows_the_hosts(
    page: Page, hurried: Path, serve_app: ServeApp, tmp_path: Path
) -> None:
    content = json.loads(hurried.read_text())
    missing = "not measured"
    for size in (size for link in content["links"] for size in link["sizes"]):
        size.update(dict.fromkeys(("one_way_ns", "send_overhead_ns", "receive_overhead_ns"), missing), gaps=[])
    content["combining"] = [each | {"ns_per_byte": missing} for each in content["combining"]]
    (tmp_path / "machine.json").write_text(json.dumps(content))
    page.goto(serve_app(create_machine_app(Machine(tmp_path / "machine.json"))))
    is_there(page, "Machine")
    expect(page.locator("h2", has_text="No link was measured")).to_be_visible()
    assert len(table(page, "machine-hosts")) == len(HOSTS)
    expect(page.locator("#machine-unmeasured li").first).to_contain_text("way of 1 B, ")


@pytest.mark.browsers
def test_another_address_says_that_there_is_one_page(page: Page, address: str) -> None:
    page.goto(f"{address}/models")
    expect(page.locator("h1")).to_have_text("Page not found")
    page.get_by_role("link", name="Machine").click()
    expect(page.locator("h1")).to_have_text("Machine")


def test_nothing_is_cut_at_any_width(window: Page, address: str) -> None:
    wrong: list[str] = []
    for width in WIDTHS:
        window.set_viewport_size({"width": width, "height": 900})
        window.goto(address)
        is_there(window, "Machine")
        wrong += [f"at {width}: {each}" for each in measured(window)]
        wrong += [f"at {width}: a column of {each} is out of sight" for each in beyond(window)]
    window.set_viewport_size({"width": NARROWEST, "height": 900})
    assert wrong == []
    assert not is_wider(window)


@pytest.mark.browsers
def test_all_operations_that_combine_are_in_view_at_once(window: Page, address: str) -> None:
    # The table ended after 12 of 18 rows, beside an empty half of the page, with no bar where it went on.
    for width in (1400, 1024):
        window.set_viewport_size({"width": width, "height": 900})
        window.goto(address)
        frame = window.locator(".table-frame:has(#machine-combining)")
        expect(frame).to_be_visible()
        assert frame.evaluate("each => each.scrollHeight - each.clientHeight") <= 1
        assert frame.evaluate("each => each.scrollWidth - each.clientWidth") <= 1


def test_the_command_serves_a_machine_file(file: Path) -> None:
    served = Served(file)
    question = page_question("/")
    question["inputs"] = question["inputs"][:1]  # nothing is selected of a machine
    status, text = served.post(question)
    assert (status, served.stop()) == (200, "")
    assert "hosts and clusters it has" in text


@pytest.mark.browsers
def test_the_report_of_a_machine_file_has_its_page_and_asks_nobody(
    browser: Browser, file: Path, tmp_path: Path
) -> None:
    report = tmp_path / "machine.html"
    done = hopscope("analyze", "report", file, "-o", report)
    assert done.returncode == 0, done.stderr
    context = browser.new_context(offline=True)
    page = context.new_page()
    said: list[str] = []
    page.on("request", lambda request: said.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(report.as_uri(), timeout=120_000)
    expect(page.locator("h1")).to_have_text("Machine")
    expect(page.locator(".figure .main-svg").first).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(page.locator(".figure").count())
    assert len(table(page, "machine-hosts")) == len(HOSTS)
    assert said == [report.as_uri()]
    context.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dashboard", "topology.json"], "topology.json is a topology file; give a machine file"),
        (["dashboard", "nothing.json"], "cannot read the machine file nothing.json: No such file"),
        (["dashboard", "machine.json", "trace"], "machine.json is a machine file, which is shown by itself"),
        (["dashboard", "machine.json", "--dataset", "d"], "--dataset goes with a trace"),
        (["analyze", "report", "machine.json", "--dataset", "d"], "--dataset goes with a trace"),
        (["analyze", "report", "topology.json"], "topology.json is a topology file; give a machine file"),
    ],
)
def test_what_is_no_machine_file_or_not_alone_is_a_sentence(
    file: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    (tmp_path / "machine.json").write_text(file.read_text())
    (tmp_path / "topology.json").write_text('{"schema_version": 1, "hosts": [{"name": "a", "cluster": "A"}]}')
    done = hopscope(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    if "machine.json" not in words:
        assert "`hopscope probe -o machine.json -- mpirun ...` writes a machine file" in done.stderr


def hopscope(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("hopscope"), *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)
