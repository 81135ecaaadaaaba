"""Pages have the numbers of their commands, without a browser: messages, call sites, efficiency, the menu, a
comparison."""

import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from comparison_cells import numbers
from drawn_page import components, draw, text
from hopscope import InputError
from hopscope.format import quantities
from hopscope_dashboard.data.trace import TraceData
from hopscope_dashboard.navigation import menu
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import PAGES
from simulated_run import SimulatedRun

ROOT = Path(__file__).parents[3]
SAMPLES, ARCHIVES = ROOT / "sample_traces", ROOT / "tests" / "convert" / "archives"
HOPS = "This trace has no hops: what happens inside its collectives was not recorded."
ALONE = {
    "Decision map": "No sweep is given; start hopscope dashboard with --machine machine-rules.json.",
    "Compare": "Only one trace is served; start hopscope dashboard with two to compare them.",
}
UNMARKED = {"Regions": "Neither the program nor another tool marked a region."}

Sample = Callable[[str], hopscope.Trace]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """A function that opens a copy of a sample trace, named as `demo/trace`, and makes its dataset."""
    opened: dict[str, hopscope.Trace] = {}

    def open_copy(name: str) -> hopscope.Trace:
        if name not in opened:
            folder = tmp_path_factory.mktemp("sample") / Path(name).name
            shutil.copytree(SAMPLES / name, folder, ignore=shutil.ignore_patterns("dataset"))
            opened[name] = hopscope.open(folder)
        return opened[name]

    return open_copy


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """Score-P's trace with the program's own regions."""
    archive = ARCHIVES / "scorep-8.4-mpi-openmp-4x2" / "traces.otf2"
    return hopscope.open(archive, dataset=tmp_path_factory.mktemp("scorep") / "dataset")


def lead(page: Any) -> str:
    """The sentence with which a page opens."""
    return next(text(part) for part in components(page.component) if getattr(part, "className", "") == "lead")


def graph(component: Any) -> Any:
    """The figure inside a component."""
    return next(part for part in components(component) if type(part).__name__ == "Graph").figure


def test_the_matrix_and_the_table_show_who_waited_for_whom(trace: hopscope.Trace) -> None:
    page = draw(trace, "/messages")
    rows = trace.messages().to_pylist()
    longest = max(rows, key=lambda row: row["waiting_caused_ns"] + row["waiting_suffered_ns"])
    assert f"longest for those from rank {longest['src']} to {longest['dst']}:" in page.text
    # Rank 3 computes 3 ms longer than the others, so its two neighbours wait for it in 40 iterations.
    waited = {(row["src"], row["dst"]): row["waiting_caused_ns"] for row in rows}
    assert min(waited[3, 2], waited[3, 4]) > 40 * 2e6
    cells = graph(page.part("messages-matrix")).data[0].z
    assert {
        (src, dst): cell for src, row in enumerate(cells) for dst, cell in enumerate(row) if cell is not None
    } == waited
    assert [row[:4] for row in page.table("messages-pairs")] == [
        [str(row["src"]), str(row["dst"]), row["link"], quantities.number(row["messages"])] for row in rows
    ]
    ranks = {row["rank"]: row for row in trace.messages(by="rank").to_pylist()}
    bars = {bar["name"]: bar["x"] for bar in page.plot("messages-cost")}
    assert bars["others waited for it"] == pytest.approx([ranks[rank]["waiting_caused_ns"] / 1e6 for rank in range(8)])


def test_a_path_of_messages_is_shown_by_function_and_by_place(sample: Sample) -> None:
    # Regression: 82 % of this run's path are messages, and no page said in which calls.
    trace = sample("observe_only/trace")
    page = draw(trace, "/critical-path").follow("p2p", "critical-path-table")
    spent = {grouping: trace.critical_path(by=grouping).to_pylist() for grouping in ("operation", "place")}
    for grouping, name in (("operation", "messages-on-path"), ("place", "messages-on-path-by-place")):
        bars = page.plot(name)[0]
        times = {row[grouping]: row["p2p_ns"] for row in spent[grouping] if row["p2p_ns"]}
        assert bars["y"] == sorted(times, key=times.__getitem__, reverse=True)
    # The messages' whole time is there, by operation and by call site.
    p2p = next(row["time_ns"] for row in trace.critical_path().to_pylist() if row["category"] == "p2p")
    assert {sum(row["p2p_ns"] for row in rows) for rows in spent.values()} == {p2p}


def test_the_matrix_is_by_host_or_cluster_and_of_bytes_where_that_is_chosen(trace: hopscope.Trace) -> None:
    page = draw(trace, "/messages").follow("cluster")
    assert len(page.table("messages-pairs")) == 3
    page = page.follow("bytes")
    assert (page.query["by"], page.query["show"]) == ("cluster", "bytes")
    sent = {(row["src_cluster"], row["dst_cluster"]): row["bytes"] for row in trace.messages(by="cluster").to_pylist()}
    sites = ("site-a", "site-b")  # no two ranks of site-a are neighbours
    cells = graph(page.part("messages-matrix")).data[0].z
    assert [list(row) for row in cells] == [[sent.get((src, dst)) for dst in sites] for src in sites]


def test_a_trace_without_messages_says_why(sample: Sample) -> None:
    assert "The program sent no messages of its own" in draw(sample("late_rank/trace"), "/messages").text


def test_of_many_pairs_the_page_says_that_its_table_does_not_hold_all(tmp_path: Path) -> None:
    trace = hopscope.open(SimulatedRun(ranks=64, iterations=4).write(tmp_path / "solver"))
    assert "The first 100 of 126 pairs" in draw(trace, "/messages").text


def test_places_have_the_command_s_numbers_and_a_click_shows_one(sample: Sample) -> None:
    trace = sample("demo/trace")
    page = draw(trace, "/places")
    rows = trace.places().to_pylist()
    assert page.table("places-table") == [
        [
            row["place"],
            quantities.duration(row["time_ns"]),
            quantities.share(row["share"]),
            quantities.interval(row["share_low"], row["share_high"]),
            quantities.duration(row["compute_ns"]),
            quantities.duration(row["call_ns"]),
            quantities.duration(row["hops_ns"]),
        ]
        for row in rows
        if row["time_ns"]
    ]
    assert {row[0]: row[1:] for row in page.table("places-sums")} == {
        row["place"]: [
            quantities.number(row["calls"]),
            quantities.duration(row["mpi_ns"]),
            quantities.duration(row["collective_waiting_ns"]),
            quantities.number(row["messages"]),
            quantities.duration(row["waiting_suffered_ns"]),
            quantities.duration(row["waiting_caused_ns"]),
        ]
        for row in rows
    }
    second = rows[1]["place"]
    page = page.follow(second, "places-table")
    assert second in text(page.part("places-chosen"))
    assert rows[1]["remedy"] in text(page.part("places-chosen"))
    page = page.follow("Show only this place")
    assert f"place {second}" in text(page.part("selection"))
    assert [row[0] for row in page.table("places-table")] == [second]
    page = page.follow("Its collectives")
    assert urlsplit(page.address).path == "/collectives" and page.query["place"] == second


def test_without_call_sites_the_page_of_places_says_why(tmp_path: Path) -> None:
    archive = ARCHIVES / "scorep-8.4-preload-4ranks" / "traces.otf2"
    data = TraceData(hopscope.open(archive, dataset=tmp_path / "dataset"))
    reason = "This trace does not say where the program calls MPI."
    assert reason in draw(data, "/places").text
    assert menu.lacking(PAGES, data)["/places"] == reason


def test_the_summary_shows_of_a_long_start_up_only_its_end(sample: Sample) -> None:
    assert draw(sample("demo/trace")).part("whole-run").begin is None
    trace = sample("planted/situation_start_4_openmpi-4/trace")
    canvas = draw(trace).part("whole-run")
    _, first = trace.timeline.phases["startup"]
    assert 0.9 * first < canvas.begin < first
    assert canvas.end == trace.timeline.duration_ns


def test_the_commands_of_a_diagnosis_name_the_trace(sample: Sample) -> None:
    trace = sample("demo/trace")
    assert f"analyze remap {trace.path} -o tree.json" in text(draw(trace).part("diagnosis"))


def test_the_factors_are_the_command_s_and_the_smallest_is_named(trace: hopscope.Trace) -> None:
    page = draw(trace, "/efficiency")
    rows = trace.efficiency().to_pylist()
    assert [row[:3] for row in page.table("efficiency-table")] == [
        [
            row["factor"],
            quantities.share(row["efficiency"]),
            quantities.interval(row["efficiency_low"], row["efficiency_high"]),
        ]
        for row in rows
    ]
    assert page.plot("efficiency-factors")[0]["x"] == [100 * row["efficiency"] for row in rows]
    # All time is spent in messages between clusters.
    assert "most is lost to transfer" in page.text
    assert draw(trace).plot("efficiency-factors")[0]["x"] == page.plot("efficiency-factors")[0]["x"]


def test_the_useful_time_of_each_rank_is_the_command_s(trace: hopscope.Trace) -> None:
    page = draw(trace, "/by-rank")
    ranks = {row["rank"]: row for row in trace.efficiency(by="rank").to_pylist()}
    assert [row[:2] for row in page.table("efficiency-ranks")] == [
        [str(rank), quantities.duration(ranks[rank]["useful_ns"])] for rank in sorted(ranks)
    ]
    longest = max(ranks.values(), key=lambda row: row["useful_ns"])
    assert f"Rank {longest['rank']} computes longest: {quantities.duration(longest['useful_ns'])}" in page.text


def test_the_efficiencies_inside_regions_are_the_command_s(threads: hopscope.Trace) -> None:
    page = draw(threads, "/efficiency")
    rows = threads.efficiency(by="region").to_pylist()
    assert [row[:6] for row in page.table("efficiency-region-table")] == [
        [
            row["region"],
            quantities.number(row["ranks"]),
            quantities.duration(row["time_ns"]),
            quantities.duration(row["useful_ns"]),
            quantities.share(row["parallel_efficiency"]),
            quantities.interval(row["parallel_efficiency_low"], row["parallel_efficiency_high"]),
        ]
        for row in rows
    ]
    assert page.plot("efficiency-regions")[0]["x"] == [100 * row["load_balance"] for row in rows]
    assert "region work" in text(page.follow("work", "efficiency-region-table").part("selection"))


def test_where_a_run_cannot_be_replayed_the_page_says_why(sample: Sample) -> None:
    page = draw(sample("many_collectives/trace"), "/efficiency")
    rows = page.table("efficiency-table")
    assert [row[1] == quantities.MISSING for row in rows] == [False, False, False, True, True]
    assert "nonblocking and persistent collectives" in text(page.part("efficiency-table"))


def lacking(trace: hopscope.Trace) -> dict[str, str]:
    """The reasons why pages have nothing to show, by title."""
    titles = {page.path: page.title for page in PAGES}
    return {titles[path]: reason for path, reason in menu.lacking(PAGES, TraceData(trace)).items()}


def test_the_menu_hides_what_a_trace_lacks_and_the_summary_says_why(sample: Sample, tmp_path: Path) -> None:
    assert lacking(sample("demo/trace")) == {**ALONE, **UNMARKED}
    without_hops = dict.fromkeys(["Algorithms and trees", "WAN share", "Other trees", "Delayed hops"], HOPS)
    assert lacking(sample("observe_only/trace")) == {**without_hops, **ALONE, **UNMARKED}
    limits = text(draw(sample("observe_only/trace"), "/").part("limits"))
    assert f"{len({**without_hops, **ALONE, **UNMARKED})} pages without data" in limits
    assert all(f"{title}: {reason}" in limits for title, reason in {**without_hops, **ALONE, **UNMARKED}.items())
    reasons = lacking(hopscope.open(SimulatedRun(iterations=0).write(tmp_path / "started")))
    no_collective = "This trace has no MPI collective."
    assert {name for name, reason in reasons.items() if reason == no_collective} == {
        "Collectives", "Algorithms and trees", "WAN share", "Other trees", "Last arrivals", "Late ranks",
        "Delayed hops",
    }  # fmt: skip
    # Ranks that only begin and end MPI still have an efficiency.
    assert "Efficiency" not in reasons
    assert "20 times" in reasons["Noise"]
    assert "sent no messages" in reasons["Messages"]


def test_the_menu_has_eight_sections_and_each_page_in_one() -> None:
    sections = menu.sections(PAGES, None, {})
    assert [section.title for section in sections] == [
        "Summary", "Timeline", "Imbalance", "Communication", "Code", "Improve", "Compare", "SQL",
    ]  # fmt: skip
    paths = [page.path for section in sections for page in section.pages]
    assert sorted(paths) == sorted(page.path for page in PAGES if page.in_menu)
    # All pages from before the menu had sections are still in it.
    assert {
        "/", "/timeline", "/collectives", "/messages", "/tree", "/wan-share", "/remap", "/last-arrivals",
        "/late-ranks", "/noise", "/delayed-hops", "/places", "/efficiency", "/compare", "/data",
    } <= set(paths)  # fmt: skip


def test_a_page_without_data_is_listed_while_one_is_on_it() -> None:
    page = next(page for page in PAGES if page.path == "/wan-share")
    (section,) = [
        candidate for candidate in menu.sections(PAGES, page, {"/wan-share": "", "/tree": ""}) if candidate.is_open
    ]
    assert page in section.pages
    assert "/tree" not in {entry.path for entry in section.pages}


def test_a_remedy_that_cannot_be_computed_says_why_beside_the_others(sample: Sample) -> None:
    page = draw(sample("demo/trace"), "/improve?compute=order,setting,tree")
    assert lead(page) == "A replay of this run suggests another tree; a new run decides."
    assert "The run emulated its links, and its topology file says which host a rank is on" in page.text
    assert "so no setting would gain what the replay says" in page.text
    assert sample("demo/trace").remap().schema.metadata[b"sentence"].decode().split(",")[0] in page.text
    assert not page.links("Compute")


def test_the_remedies_open_with_what_the_diagnosis_says_of_them(sample: Sample) -> None:
    # Regression: the page opened with a description of itself.
    trace = sample("planted/situation_pairs_4_openmpi-4/trace")
    assert lead(draw(trace, "/improve")) == trace.diagnose().to_pylist()[0]["sentence"]
    on_time = draw(sample("planted/on_time/trace"), "/improve")
    assert lead(on_time) == "The diagnosis names no cost that one of these remedies would remove."


@pytest.mark.parametrize(("option", "key"), [("--net", "network"), ("--topology", "emulate")])
def test_the_command_of_remap_gives_the_run_its_hosts_by_the_option_that_made_them(
    tmp_path: Path, option: str, key: str
) -> None:
    # Regression: the option was --topology for a run on a network of namespaces, but --topology refuses such a file.
    folder = shutil.copytree(SAMPLES / "demo" / "trace", tmp_path / "a trace", ignore=shutil.ignore_patterns("dataset"))
    topology = json.loads((folder / "topology.json").read_text())
    topology[key] = topology.pop("emulate")
    words = json.dumps(topology)
    (folder / "topology.json").write_text(words)
    facts = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(facts | {"topology_file": words}))
    page = draw(hopscope.open(folder), "/remap")
    commands = [text(part) for part in components(page.component) if getattr(part, "className", "") == "command"]
    assert any(
        shlex.split(command)[:6] == ["hopscope", "run", option, str(folder / "topology.json"), "--tree", "tree.json"]
        for command in commands
    ), commands


def test_commands_in_sentences_are_set_as_code(
    sample: Sample, trace: hopscope.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Regression: the backticks were shown.
    data = TraceData(sample("observe_only/trace"))
    quoted = [word for sentence in data.caveats() for word in sentence.split("`")[1::2]]
    remarks = [part for part in components(draw(data).component) if "remarks" in (getattr(part, "className", "") or "")]
    codes = [text(part) for part in components(remarks) if type(part).__name__ == "Code"]
    assert quoted and codes == quoted
    guess = replace(TraceData(trace).remap(), sentence="Measure it: `hopscope tune`.")
    monkeypatch.setattr(TraceData, "remap", lambda _: guess)
    page = draw(trace, "/remap")
    assert "Measure it: hopscope tune." in page.text
    assert "hopscope tune" in [text(part) for part in components(page.component) if type(part).__name__ == "Code"]


@pytest.fixture(scope="module")
def compared(sample: Sample) -> dict[str, hopscope.Trace]:
    names = {"base": "changed_tree/base", "new": "changed_tree/new", "unseen": "observe_only/trace"}
    return {name: sample(path) for name, path in names.items()}


def compare(runs: dict[str, hopscope.Trace], address: str = "/compare") -> Any:
    """The page Compare of several traces. The first one is the base."""
    data = Traces(list(runs.values())).members[0]
    return draw(data, address)


def test_a_comparison_has_the_verdict_and_the_numbers_of_the_command(compared: dict[str, hopscope.Trace]) -> None:
    page = compare(compared)
    whole = compared["new"].answer("compare", base=compared["base"])
    assert text(page.part("compare-verdict")) == whole.rows[0]["sentence"]
    assert [(row[0], row[-1]) for row in page.table("compare-activities")] == [
        (row["activity"], row["verdict"]) for row in whole.rows
    ]
    # Both answers note that each side has one run. The page shows this note once.
    assert page.text.count("one run of each") + page.text.count("One run of each") == 1
    answer = compared["new"].answer("compare", base=compared["base"], by="operation")
    assert text(page.part("compare-operations")) == "Of 1 median: 1 slower."
    statistics = {row[1]: [cell.replace("\n", " ") for cell in row[2:]] for row in page.table("compare-times")}
    assert {name: [cell.replace(" ", "") for cell in cells] for name, cells in statistics.items()} == {
        row["statistic"]: [cell.replace(" ", "") for cell in numbers(row)] for row in answer.rows
    }
    structure = compared["new"].compare(by="structure", base=compared["base"]).to_pylist()
    assert [row[1:] for row in page.table("compare-structure")] == [
        [row["property"], row["base"], row["new"]] for row in structure if row["changed"]
    ]
    rows = compared["new"].compare(by="path", base=compared["base"]).to_pylist()
    categories = {row["name"]: row for row in rows if row["part"] == "category"}
    for bar in page.plot("compare-paths"):
        row = categories[str(bar["name"])]
        assert bar["x"] == pytest.approx([row["base_ns"] / 1e6, row["new_ns"] / 1e6])
    by_edge = page.follow("edge").table("compare-parts")
    assert [row[0] for row in by_edge] == [row["name"] for row in rows if row["part"] == "edge"]
    hrefs = [
        str(part.href)
        for part in components(page.part("compare-times"))
        if getattr(part, "href", None) and "/collectives?" in str(part.href)
    ]
    identities = {trace.identity[:8] for trace in (compared["base"], compared["new"])}
    assert {parse_qs(urlsplit(href).query)["trace"][0] for href in hrefs} == identities


def test_runs_that_must_not_be_compared_say_why(compared: dict[str, hopscope.Trace]) -> None:
    page = compare(compared, f"/compare?with={compared['unseen'].identity[:8]}")
    with pytest.raises(InputError) as refused:
        compared["unseen"].compare(base=compared["base"])
    assert " ".join(str(refused.value).split()) in page.text
    assert not page.has("compare-paths")
    # Unknown hops of one run do not count as missing edges.
    assert "It has no hops in this run: " in text(page.part("compare-tree-new"))


def test_of_one_trace_the_page_says_how_to_give_another(trace: hopscope.Trace) -> None:
    assert f"hopscope dashboard {trace.path} OTHER" in draw(trace, "/compare").text
