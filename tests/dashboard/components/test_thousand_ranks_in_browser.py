"""A run of 1,024 ranks on 64 hosts in a browser: every page opens, and nothing on it is cut. Figures that are too large
rank by rank are drawn host by host, until a click opens a host."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from playwright.sync_api import Page, expect
from reading import click_cell, measured, patient, plot, query, table, through_the_menu, wait_for_page
from served import Served

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from large import program, spend

pytestmark = [pytest.mark.large, pytest.mark.timeout(300)]

RANKS, HOSTS = 1024, 64
EVENTS = 500_000
"""Events for enough iterations to evaluate noise."""
TIMELINE = "#run-timeline"


@pytest.fixture(scope="module")
def thousand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of this run. The server is another process, because it still computes when its tests are
    over."""
    folder = tmp_path_factory.mktemp("thousand") / "solver"
    spend([str(program("synthetic_trace")), str(folder), str(EVENTS), "collectives", str(RANKS), str(HOSTS)])
    assert hopscope.open(folder).number_of_rows("ranks") == RANKS
    served = Served(folder)
    yield f"http://127.0.0.1:{served.port}"
    served.stop()


@pytest.fixture
def patient_page(page: Page) -> Page:
    return patient(page)


def rows_of_timeline(page: Page) -> list[dict[str, object]]:
    page.locator(f"{TIMELINE}[data-state=ready]").wait_for()
    rows: list[dict[str, object]] = page.locator(TIMELINE).first.evaluate("root => root.hopscope.data.rows")
    return rows


def test_every_page_of_the_menu_opens_whole(window: Page, thousand: str) -> None:
    patient(window)
    window.goto(thousand)
    window.locator("#menu .menu-link").first.wait_for()
    wrong, titles = [], []
    for title in through_the_menu(window, excluded="Other trees"):  # it computes for a minute: see below
        wait_for_page(window, title)
        titles.append(title)
        wrong += [f"{title}: {fault}" for fault in measured(window)]
        count = window.locator("#content *").count()
        if count > 12_000:
            wrong.append(f"{title}: {count} elements, more than a browser lays out at once")
    assert wrong == []
    assert {
        "Timeline",
        "Collectives",
        "Messages",
        "Algorithms and trees",
        "Last arrivals",
        "Noise",
        "Efficiency",
    } <= set(titles)


def test_the_timeline_has_a_row_for_each_host_and_a_click_opens_its_ranks(patient_page: Page, thousand: str) -> None:
    patient_page.goto(f"{thousand}/timeline")
    hosts = rows_of_timeline(patient_page)
    assert [row["host"] for row in hosts] == [f"host{number}" for number in range(HOSTS)]
    place = patient_page.locator(TIMELINE).first.evaluate("root => root.hopscope.place")
    patient_page.locator(f"{TIMELINE} canvas").click(position={"x": 20, "y": place["top"] + 3.5 * place["row"]})
    patient_page.wait_for_url("**/timeline?host=host3")
    patient_page.wait_for_function("() => document.querySelector('#run-timeline').hopscope.data?.rows.length === 16")
    assert [row["rank"] for row in rows_of_timeline(patient_page)] == list(range(48, 64))


def test_folded_hosts_of_a_tree_open_by_a_click_and_by_keys_and_fold_again(patient_page: Page, thousand: str) -> None:
    patient_page.goto(f"{thousand}/tree")
    folded, notice = patient_page.locator(".tree .rank.folded"), patient_page.locator(".folding")
    expect(folded).to_have_count(HOSTS)
    expect(notice).to_contain_text("1,023 of 1,024 ranks on 64 hosts are folded")
    # In a binomial tree, the first rank of a host sends up to the first rank of another: rank 48 to rank 32.
    expect(patient_page.locator('[data-part="rank-48"] title')).to_have_text(
        re.compile(r"16 ranks of host3, site0: 48-63. Among them: .* Click: open the host.")
    )
    patient_page.locator('[data-part="rank-48"]').click()
    patient_page.wait_for_url("**/tree?open=host3")
    expect(folded).to_have_count(HOSTS - 1)
    for rank in (48, 55, 63):
        expect(patient_page.locator(f'[data-part="rank-{rank}"] text')).to_have_text(str(rank))
    edge = patient_page.locator('[data-part="edge-49-48"]')
    expect(edge.locator("title")).to_have_text(re.compile(r"Rank 49 to rank 48 \(shm.*see its hops over time"))
    patient_page.locator('[data-part="rank-32"]').focus()
    patient_page.keyboard.press("Enter")
    patient_page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get("open") == ["host3,host2"])
    expect(folded).to_have_count(HOSTS - 2)
    notice.get_by_role("link", name="host3").click()
    patient_page.wait_for_url("**/tree?open=host2")
    expect(folded).to_have_count(HOSTS - 1)
    notice.get_by_role("link", name="host2").click()
    expect(folded).to_have_count(HOSTS)
    assert query(patient_page) == {}
    patient_page.go_back()
    expect(folded).to_have_count(HOSTS - 1)


def test_a_cell_of_two_hosts_leads_to_the_messages_of_their_ranks(patient_page: Page, thousand: str) -> None:
    patient_page.goto(f"{thousand}/messages")
    matrix = "messages-matrix"
    assert len(plot(patient_page, matrix)[0]["x"]) == HOSTS
    click_cell(patient_page, matrix, 5, 4)
    wait_for_page(patient_page, "Messages")
    assert len(query(patient_page)["ranks"].split(",")) == 32
    # There is also one neighbour on each side, to which the outermost ranks send.
    expect(patient_page.locator(f"#{matrix} .js-plotly-plot")).to_be_visible()
    patient_page.wait_for_function(
        f"() => document.querySelector('#{matrix} .js-plotly-plot')?.data?.[0].x.length === 34"
    )
    pairs = {(row[0], row[1]) for row in table(patient_page, "messages-pairs")}
    assert {("79", "80"), ("80", "79")} <= pairs


def test_remap_says_that_it_computes_and_other_pages_answer_meanwhile(patient_page: Page, thousand: str) -> None:
    patient_page.goto(f"{thousand}/remap")
    expect(patient_page.get_by_role("heading", name="Other trees is being computed")).to_be_visible()
    patient_page.get_by_role("link", name="Code", exact=True).click()
    wait_for_page(patient_page, "Call sites")
