"""The page of a machine file, without a browser: a probe's measurements of a simulated machine, equal to those of
`analyze model`; and the commands that take such a file."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from asked_app import AskedApp
from drawn_page import DrawnPage, components, text
from hopscope.cli.analyze import analyze
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_machine_app
from hopscope_dashboard.data.trace import Machine
from hopscope_dashboard.pages.machine import machine
from probed_machine import HOSTS, probed
from served import Served, page_question


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return probed(tmp_path_factory.mktemp("machine") / "machine.json", 600)


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The machine file of a probe whose time sufficed only for a few measurements."""
    return probed(tmp_path_factory.mktemp("hurried") / "machine.json", 8)


def machine_page(file: Path) -> DrawnPage:
    """The page of a machine file, without a trace."""
    return DrawnPage(cast("Any", None), "/", machine.layout(Machine(file)))


def items(page: DrawnPage) -> list[str]:
    """The items that the page lists as not measured."""
    return [text(part) for part in components(page.part("machine-unmeasured")) if type(part).__name__ == "Li"]


def usual(content: dict[str, Any], kind: str) -> str:
    """The page's name for the pair of hosts that represents a class of links."""
    (link,) = [link for link in content["links"] if link["link"] == kind and not link["outlying"]]
    return f"{kind}, {' to '.join(link['hosts'])}"


def rows_of_command(file: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The rows that `analyze model FILE` prints."""
    assert analyze.main(["model", str(file), "--format", "json"], standalone_mode=False) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_a_figure_for_each_link_has_what_was_measured_and_the_models_lines(file: Path) -> None:
    page = machine_page(file)
    content = json.loads(file.read_text())
    (figures,) = [part for part in components(page.component) if getattr(part, "className", "") == "figures"]
    assert [text(part) for part in components(figures) if type(part).__name__ == "H3"] == [
        *(usual(content, link) for link in ("shm", "lan", "wan")), "lan, a0 to a1 (outlying)",
    ]  # fmt: skip
    lan = next(link for link in content["links"] if link["link"] == "lan" and not link["outlying"])
    lines = page.plot("machine-messages-1")
    ways = [size["one_way_ns"]["median"] for size in lan["sizes"]]
    unit = lines[1]["y"][0] / ways[0]
    assert lines[1]["x"] == [size["bytes"] for size in lan["sizes"]]
    assert lines[1]["y"] == pytest.approx([way * unit for way in ways])
    assert [line["hovertext"][0].partition("</b>")[0].removeprefix("<b>") for line in lines] == [
        "LogGP: g + (m - 1) G", "Hockney: α + mβ", "PLogP: g(m)", "g(m, 2)", "g(m, 4)", "PLogP: o_s(m)",
        "PLogP: o_r(m)",
    ]  # fmt: skip
    low, high = lan["sizes"][0]["one_way_ns"]["low"], lan["sizes"][0]["one_way_ns"]["high"]
    assert quantities.interval(low, high, "ns") in lines[1]["hovertext"][0]


def test_the_tables_have_the_numbers_of_analyze_model(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = rows_of_command(file, capsys)
    page = machine_page(file)
    plain_rows = [row for row in rows if row["bytes"] is None]
    expected = [[row["parameter"], quantities.quantity(row["value"], row["unit"])] for row in plain_rows]
    assert sorted([row[2], row[3]] for row in page.table("machine-parameters")) == sorted(expected)
    by_size = {(row[0], row[1]): row for row in page.table("machine-sizes")}
    lan = usual(json.loads(file.read_text()), "lan")
    for place, parameter in ((3, "alpha"), (4, "beta"), (5, "g"), (-2, "o_s"), (-1, "o_r")):
        row = next(
            row for row in rows
            if (row["link"], row["outlying"], row["bytes"], row["parameter"]) == ("lan", False, 1 << 16, parameter)
        )  # fmt: skip
        interval = quantities.interval(row["low"], row["high"], row["unit"])
        assert by_size[lan, "64 KiB"][place] == f"{quantities.quantity(row['value'], row['unit'])} {interval}"


def test_hosts_clusters_certainty_and_odd_pairs_are_those_of_the_probe(file: Path) -> None:
    page = machine_page(file)
    content = json.loads(file.read_text())
    assert [row[:2] for row in page.table("machine-hosts")] == [list(pair) for pair in HOSTS.items()]
    certainty = quantities.share(content["levels"]["cluster"]["certainty"])
    assert page.table("machine-levels")[1][-1] == certainty
    (figures,) = [part for part in components(page.component) if getattr(part, "className", "") == "key-figures"]
    assert f"Clusters2certainty {certainty}" in text(figures)
    (odd,) = page.table("machine-outlying")
    assert odd[:2] == ["lan", "a0 to a1"]
    assert f"lan, {odd[3]}" == usual(content, "lan")
    (cells,) = page.figure("machine-latencies").data
    assert (cells.type, len(cells.x), len(cells.y)) == ("heatmap", len(HOSTS), len(HOSTS))
    assert "host a0" in [row[0] for row in page.table("machine-contention")]
    combining = page.table("machine-combining")
    assert len(combining) == len({(row["operation"], row["type"]) for row in content["combining"]})
    first = content["combining"][0]["ns_per_byte"]
    interval = quantities.interval(first["low"], first["high"], None)
    assert combining[0][2] == f"{quantities.quantity(first['median'], None)} {interval}"


def test_what_was_not_measured_is_listed_and_has_no_number(hurried: Path) -> None:
    content = json.loads(hurried.read_text())
    assert '"not measured"' in json.dumps(content["links"])
    page = machine_page(hurried)
    lacking = [
        size for link in content["links"] if link["link"] == "wan"
        for size in link["sizes"] if size["one_way_ns"] == "not measured"
    ]  # fmt: skip
    names = ", ".join(quantities.size(size["bytes"]) for size in lacking)
    assert f"way of {names}" in next(item for item in items(page) if item.startswith("wan, "))
    # A size without measurements has no row.
    sizes = {row[1] for row in page.table("machine-sizes") if row[0].startswith("wan, ")}
    assert quantities.size(lacking[-1]["bytes"]) not in sizes
    assert "values of links were not measured" in page.text


def test_a_probe_that_had_no_time_for_links_still_shows_the_hosts(hurried: Path, tmp_path: Path) -> None:
    content = json.loads(hurried.read_text())
    missing = "not measured"
    for size in (size for link in content["links"] for size in link["sizes"]):
        size.update(dict.fromkeys(("one_way_ns", "send_overhead_ns", "receive_overhead_ns"), missing), gaps=[])
    content["combining"] = [row | {"ns_per_byte": missing} for row in content["combining"]]
    (tmp_path / "machine.json").write_text(json.dumps(content))
    page = machine_page(tmp_path / "machine.json")
    assert "No link was measured" in [text(part) for part in components(page.component) if type(part).__name__ == "H2"]
    assert len(page.table("machine-hosts")) == len(HOSTS)
    assert "way of 1 B, " in items(page)[0]


def test_another_address_says_that_there_is_one_page(file: Path) -> None:
    app = AskedApp(create_machine_app(Machine(file)))
    page = app.page("/models", follows_selection=False)
    assert "Page not found" in text(page.content)
    assert page.links == {"Machine": "/"}
    page = app.page("/", follows_selection=False)
    assert "hosts and clusters it has" in text(page.content)
    assert page.title == "Machine · machine.json · Hopscope"


def test_the_command_serves_a_machine_file(file: Path) -> None:
    served = Served(file)
    question = page_question("/")
    question["inputs"] = question["inputs"][:1]  # the page of a machine has no selection
    status, text = served.post(question)
    assert (status, served.stop()) == (200, "")
    assert "hosts and clusters it has" in text


@pytest.mark.parametrize(
    ("words", "problem"),
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
    file: Path,
    tmp_path: Path,
    *,
    words: list[str],
    problem: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "machine.json").write_text(file.read_text())
    (tmp_path / "topology.json").write_text('{"schema_version": 1, "hosts": [{"name": "a", "cluster": "A"}]}')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit_info:
        execute(program, "hopscope", words)
    assert exit_info.value.code == 2
    complaint = capsys.readouterr().err
    assert problem in complaint
    assert "Traceback" not in complaint
    if "machine.json" not in words:
        assert "`hopscope probe -o machine.json -- mpirun ...` writes a machine file" in complaint
