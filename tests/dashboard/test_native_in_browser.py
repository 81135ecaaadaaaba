"""What the MPI library did, drawn: a real run under Open MPI whose own messages were recorded, and one without hops."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import hopscope
import local_mpi
import pytest
from conftest import Serve
from hopscope import quantities
from playwright.sync_api import Page, expect
from reading import measured, point_at_edge, table

ROOT = Path(__file__).parents[2]
RANKS = 8


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> hopscope.Trace:
    """All collectives by the library's own algorithms on 8 ranks over two sites."""
    mpi = next(mpi for mpi in local_mpi.find_all() if mpi.flavour == "openmpi")
    program = mpi.compile(ROOT / "tests" / "native" / "programs" / "collectives.c")
    trace = tmp_path_factory.mktemp("native") / "trace"
    run = [Path(sys.executable).with_name("hopscope"), "run", "--dir", trace]
    topology = ["--topology", ROOT / "demo" / "topology.json"]
    subprocess.run([*run, *topology, "--", *mpi.launch(RANKS), program], check=True, capture_output=True, timeout=240)
    return hopscope.open(trace)


@pytest.fixture(scope="module")
def address(serve: Serve, native: hopscope.Trace) -> str:
    return serve(native)


def collective(trace: hopscope.Trace, op: str, algorithm: str) -> str:
    """The first collective on all ranks that ran by this algorithm."""
    rows = trace.algorithms(comm=0).to_pylist()
    return next(row["first"] for row in rows if (row["op"], row["algorithm"]) == (op, algorithm))


def test_a_tree_of_the_library_is_drawn_with_its_edges_beside_it(
    page: Page, address: str, native: hopscope.Trace
) -> None:
    name = collective(native, "MPI_Gather", "binomial")
    rows = native.algorithms(collective=name).to_pylist()
    page.goto(f"{address}/tree?collective={name}")
    expect(page.locator("#algorithm-graph .rank")).to_have_count(RANKS)
    expect(page.locator("#algorithm-graph .edge.by-link")).to_have_count(RANKS - 1)
    said = page.locator("#algorithm-said")
    expect(said).to_contain_text(re.compile(r"^Open MPI \S+ ran MPI_Gather of \d+ B on MPI_COMM_WORLD \(0\), 8 ranks"))
    expect(said).to_contain_text("Recognised as binomial: 7 messages, 3 in sequence, 3 of them between clusters.")
    assert table(page, "algorithm-edges-table") == [
        [f"{row['src']} → {row['dst']}", row["link"], str(row["hops"]), quantities.duration(row["took_ns"]),
         quantities.duration(row["time_ns"]), quantities.share(row["share"])]
        for row in rows
    ]  # fmt: skip
    for row in rows:
        point_at_edge(page, f"edge-{row['src']}-{row['dst']}")
        expect(page.locator("#algorithm-graph .told")).to_contain_text(
            f"1 message in each of {quantities.plural(row['collectives'], 'collective')}, in round {row['rounds']}; "
            f"{quantities.size(row['bytes'])} in all."
        )
    said.get_by_role("link", name=name).click()
    expect(page.locator("h1")).to_have_text(f"MPI_Gather {name}")
    page.get_by_role("link", name="See who sent to whom").click()
    expect(page.locator("#algorithm-graph .rank.root")).to_have_count(1)


def test_an_exchange_of_the_library_is_drawn_in_rounds_in_the_colours_of_its_links(
    page: Page, address: str, native: hopscope.Trace
) -> None:
    name = collective(native, "MPI_Allreduce", "recursive-doubling")
    page.goto(f"{address}/tree?collective={name}")
    expect(page.locator("#algorithm-graph .edge")).to_have_count(3 * RANKS)
    assert page.locator("#algorithm-graph .round text").all_text_contents() == ["round 1", "round 2", "round 3"]
    colours = "all => new Set(all.map(line => getComputedStyle(line).stroke)).size"
    links = {row["link"] for row in native.algorithms(collective=name).to_pylist()}
    assert page.locator("#algorithm-graph .edge .line").evaluate_all(colours) == len(links) == 2
    # The Tab key leads to the first arrow, and Home back to it.
    first = page.locator('#algorithm-graph [tabindex="0"]')
    part = first.get_attribute("data-part")
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#algorithm-graph .told")).to_contain_text("in round 2")
    page.keyboard.press("Home")
    expect(page.locator(f'[data-part="{part}"]')).to_be_focused()


@pytest.mark.browsers
def test_the_lists_and_the_table_lead_from_one_algorithm_to_another(
    page: Page, address: str, native: hopscope.Trace
) -> None:
    page.goto(f"{address}/tree")
    often = max(native.algorithms().to_pylist(), key=lambda row: row["collectives"])
    heading = page.locator("section:has(#algorithm-said) h2")
    expect(heading).to_have_text(f"{often['op']}: {often['algorithm']}")
    page.get_by_role("textbox", name="Operation").click()
    page.get_by_role("option", name="MPI_Scatter", exact=True).click()
    expect(heading).to_contain_text("MPI_Scatter: ")
    page.get_by_role("textbox", name="Communicator").click()
    page.get_by_role("option").nth(1).click()
    expect(page.locator("#algorithm-said")).to_contain_text("4 ranks")
    assert re.search(r"collective=[12]%3A\d+", page.url)
    link = page.locator("#algorithms-table td:nth-child(4) a").nth(2)
    algorithm = link.inner_text()
    link.click()
    expect(heading).to_have_text(re.compile(f": {re.escape(algorithm)}"))


@pytest.mark.browsers
def test_the_list_of_collectives_cuts_no_long_name(page: Page, address: str) -> None:
    # The longest names of operations were cut, and numbers of ten digits, which some nonblocking collectives have.
    page.goto(f"{address}/collectives?search=MPI_Reduce_scatter_block")
    page.set_viewport_size({"width": 1024, "height": 800})
    expect(page.locator("#collectives-grid .ag-cell[col-id=operation]").first).to_have_text("MPI_Reduce_scatter_block")
    assert measured(page) == []


@pytest.mark.browsers
def test_a_collective_whose_messages_are_unknown_is_said(page: Page, address: str) -> None:
    for wrong in ("0:99999", "7", "x:y"):
        page.goto(f"{address}/tree?collective={wrong}")
        expect(page.locator("#cannot-answer")).to_be_visible()


@pytest.mark.browsers
def test_the_remap_page_of_a_native_run_leads_to_who_sent_to_whom(page: Page, address: str) -> None:
    page.goto(f"{address}/remap")
    page.locator("#content").get_by_role("link", name="Tree").first.click()
    expect(page.locator("#algorithm-graph")).to_be_visible()


@pytest.mark.browsers
def test_a_native_run_without_hops_says_how_to_get_them(page: Page, serve: Serve, tmp_path: Path) -> None:
    sample = shutil.copytree(ROOT / "sample_traces" / "native_collectives" / "trace", tmp_path / "trace")
    page.goto(f"{serve(hopscope.open(sample))}/tree")
    expect(page.locator("#no-hops")).to_contain_text("Hopscope records those that Open MPI itself sends")
    expect(page.locator("#call-level tbody tr")).to_have_count(10)
