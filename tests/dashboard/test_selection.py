"""The selected part of the run stands in the address; pages show it, say it, and every link keeps it."""

from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from drawn_page import DrawnPage, draw, text
from hopscope import quantities

PART = "from=i:10&to=i:30&ranks=2,3"


def late_ranks(page: DrawnPage) -> list[tuple[str, str]]:
    return [(row[0], row[2]) for row in page.table("late-ranks-table")]


def test_a_page_shows_the_part_that_the_address_selects_and_says_so(trace: hopscope.Trace) -> None:
    page = draw(trace, f"/late-ranks?{PART}")
    assert "A part of the run: from i:10, to i:30, ranks 2,3" in text(page.part("selection"))
    rows = trace.late_ranks(from_="i:10", to="i:30", ranks="2,3").to_pylist()
    assert late_ranks(page) == [(str(row["rank"]), quantities.share(row["share"])) for row in rows]
    assert len(rows) == 2
    page = page.follow("Show the whole run")
    assert "A part of the run" not in text(page.part("selection"))
    assert len(late_ranks(page)) == 8


def test_iterations_are_shown_with_how_sure_they_are(trace: hopscope.Trace) -> None:
    iterations = trace.iterations_found
    assert iterations is not None
    for path in ("/late-ranks", "/timeline"):
        assert iterations in text(draw(trace, f"{path}?{PART}").part("selection"))
    bar = text(draw(trace, "/late-ranks?ranks=2").part("selection"))
    assert "ranks 2" in bar and iterations not in bar
    assert f"The run has {iterations}." in draw(trace, "/noise").text


def test_a_part_that_holds_nothing_is_said_on_the_page(trace: hopscope.Trace) -> None:
    # Pages once drew zeros for times after the end of the run.
    page = draw(trace, "/last-arrivals?from=100s")
    assert "--from 100s is after the end of the run" in text(page.part("cannot-answer"))
    page = draw(trace, "/last-arrivals?operation=MPI_Finalize&to=1ms")
    assert "selects nothing" in text(page.part("cannot-answer"))


def test_a_table_s_ranks_operations_and_edges_lead_to_what_they_are_about(trace: hopscope.Trace) -> None:
    assert "ranks 3" in text(draw(trace, "/late-ranks").follow("3", "late-ranks-table").part("selection"))
    page = draw(trace).follow("MPI_Sendrecv", "critical-path-by-operation")
    assert urlsplit(page.address).path == "/messages"
    assert "operation MPI_Sendrecv" in text(page.part("selection"))
    row = trace.tree_edges().to_pylist()[0]
    page = draw(trace, "/tree").follow(f"{row['src']} → {row['dst']}", "tree-edges-table")
    assert f"Hops from rank {row['src']} to rank {row['dst']} over time" in page.text


def test_a_finding_leads_to_its_page_with_what_it_is_about_selected(trace: hopscope.Trace) -> None:
    findings = {row["key"]: row for row in trace.findings().to_pylist()}
    assert (findings["last-arrivals"]["part"], findings["late-ranks"]["part"]) == ("--ranks 6", "--ranks 3")
    page = draw(trace, "/?from=i:1").follow("See last arrivals →", "findings")
    assert urlsplit(page.address).path == "/last-arrivals"
    assert "A part of the run: from i:1, ranks 6" in text(page.part("selection"))
    page = draw(trace, "/late-ranks").follow("Select ranks 3")
    assert "A part of the run: ranks 3" in text(page.part("selection"))


def test_a_selection_that_means_nothing_is_said_and_can_be_cleared(trace: hopscope.Trace) -> None:
    page = draw(trace, "/last-arrivals?ranks=99")
    assert "the trace has no rank 99; its ranks are 0 to 7" in text(page.part("cannot-answer"))
    assert not page.follow("Show the whole run").has("cannot-answer")


def test_the_bar_says_what_of_an_address_was_not_understood_and_the_page_leaves_it_out(trace: hopscope.Trace) -> None:
    # Such a page once showed something else, or nothing.
    page = draw(trace, "/late-ranks?ranks=3-1&from=1.5&to=i:30&comm=x")
    bar = text(page.part("selection"))
    assert "ranks=3-1 was not understood and is left out: --ranks 3-1: 3-1 runs backwards" in bar
    assert "from=1.5 was not understood and is left out: --from 1.5 has no unit; write 1.5s" in bar
    assert "comm=x was not understood and is left out" in bar
    assert "A part of the run: to i:30" in bar
    rows = trace.late_ranks(to="i:30").to_pylist()
    assert late_ranks(page) == [(str(row["rank"]), quantities.share(row["share"])) for row in rows]
    assert "not understood" not in text(page.follow("Show the whole run").part("selection"))


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", "This part of the run has no collective operation of MPI"),
        ("/collectives", "This part of the run has no MPI collective"),
        ("/collective", "This part of the run has no MPI collective"),
        ("/messages", "No message of the program's own lies in this part of the run."),
        ("/efficiency", "This part of the run has no communication"),
    ],
)
def test_a_part_that_holds_nothing_says_nothing_of_the_whole_trace(
    path: str, words: str, trace: hopscope.Trace
) -> None:
    # Its pages said that "this trace" had no collectives, that the program sent no messages, and nobody communicated.
    page = draw(trace, f"{path}?from=1000000010&to=1000000020")
    assert words in page.text
    assert "This trace has no" not in page.text
    # Both ends had been 1.000000 s.
    assert "from 1.000000010 s, to 1.000000020 s" in text(page.part("selection"))


def test_a_link_made_for_another_trace_says_so(trace: hopscope.Trace) -> None:
    page = draw(trace, f"/late-ranks?{PART}&trace=00000000")
    assert "The link was made for another trace" in text(page.part("selection"))
    (link,) = draw(trace, f"/late-ranks?{PART}").links("Show the whole run")
    named = parse_qs(urlsplit(link).query)["trace"][0]
    assert "another trace" not in text(draw(trace, f"/late-ranks?{PART}&trace={named}").part("selection"))
