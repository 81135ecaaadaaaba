"""The address contains the selected part of the run. Every page shows this part, names it, and keeps it in its
links."""

from urllib.parse import parse_qs, urlsplit

import hopscope
import pytest
from asked_app import AskedApp
from drawn_page import DrawnPage, components, draw, text
from hopscope.format import quantities
from hopscope_dashboard.app.application import create_app

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
    # Regression: pages drew zeros for times after the end of the run.
    page = draw(trace, "/last-arrivals?from=100s")
    assert "--from 100s is after the end of the run" in text(page.part("cannot-answer"))
    page = draw(trace, "/last-arrivals?operation=MPI_Finalize&to=1ms")
    assert "selects nothing" in text(page.part("cannot-answer"))


def test_a_table_s_ranks_operations_and_edges_lead_to_what_they_are_about(trace: hopscope.Trace) -> None:
    assert "ranks 3" in text(draw(trace, "/late-ranks").follow("3", "late-ranks-table").part("selection"))
    page = draw(trace, "/critical-path").follow("MPI_Sendrecv", "critical-path-by-operation")
    assert urlsplit(page.address).path == "/messages"
    assert "operation MPI_Sendrecv" in text(page.part("selection"))
    row = trace.tree_edges().to_pylist()[0]
    page = draw(trace, "/tree").follow(f"{row['src']} → {row['dst']}", "tree-edges-table")
    assert f"Hops from rank {row['src']} to rank {row['dst']} over time" in page.text


def test_the_verdict_leads_to_its_page_and_an_answer_selects_what_it_is_about(trace: hopscope.Trace) -> None:
    page = draw(trace, "/?from=i:1").follow("Other trees", "diagnosis")
    assert urlsplit(page.address).path == "/remap"
    assert parse_qs(urlsplit(page.address).query)["from"] == ["i:1"]
    # With a limit of 5 % of an iteration, no rank is late.
    assert draw(trace, "/last-arrivals").follow("Select rank 6").has("selection")
    page = draw(trace, "/late-ranks?least_ms=1").follow("Select rank 3")
    assert "A part of the run: ranks 3" in text(page.part("selection"))


def test_a_selection_that_means_nothing_is_said_and_can_be_cleared(trace: hopscope.Trace) -> None:
    page = draw(trace, "/last-arrivals?ranks=99")
    assert "the trace has no rank 99; its ranks are 0 to 7" in text(page.part("cannot-answer"))
    assert not page.follow("Show the whole run").has("cannot-answer")


def test_the_bar_says_what_of_an_address_was_not_understood_and_the_page_leaves_it_out(trace: hopscope.Trace) -> None:
    # Regression: such a page showed something else, or nothing.
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
        ("/collectives", "This part of the run has no MPI collective"),
        ("/collective", "This part of the run has no MPI collective"),
        ("/messages", "The program sent no messages of its own in this part of the run."),
        ("/efficiency", "This part of the run has no communication"),
    ],
)
def test_a_part_that_holds_nothing_says_nothing_of_the_whole_trace(
    path: str, words: str, trace: hopscope.Trace
) -> None:
    # Regression: the pages of such a selection said that "this trace" has no collectives, or that the program sent no
    # messages.
    page = draw(trace, f"{path}?from=1000000010&to=1000000020")
    assert words in page.text
    assert "This trace has no" not in page.text
    # Regression: both ends were shown as 1.000000 s.
    assert "from 1.000000010 s, to 1.000000020 s" in text(page.part("selection"))


def test_a_link_made_for_another_trace_says_so(trace: hopscope.Trace) -> None:
    page = draw(trace, f"/late-ranks?{PART}&trace=00000000")
    assert "This link was made for another trace" in text(page.part("selection"))
    (link,) = draw(trace, f"/late-ranks?{PART}").links("Show the whole run")
    identity = parse_qs(urlsplit(link).query)["trace"][0]
    assert "another trace" not in text(draw(trace, f"/late-ranks?{PART}&trace={identity}").part("selection"))


def test_every_entry_of_the_menu_keeps_the_selection(trace: hopscope.Trace) -> None:
    app = AskedApp(create_app(trace))
    links = app.page(f"/late-ranks?{PART}").links
    assert len(links) > 10
    selected = {"from": ["i:10"], "to": ["i:30"], "ranks": ["2,3"], "trace": [trace.identity[:8]]}
    assert {words: parse_qs(urlsplit(link).query) for words, link in links.items()} == dict.fromkeys(links, selected)
    assert {urlsplit(link).query for link in app.page("/late-ranks").links.values()} == {""}


def test_the_form_has_what_is_selected_and_keeps_the_page_s_other_parameters(trace: hopscope.Trace) -> None:
    page = draw(trace, "/late-ranks?least_ms=5&ranks=0-2")
    assert "A part of the run: ranks 0-2" in text(page.part("selection"))
    assert len(late_ranks(page)) == 3
    form = page.part("selection-form")
    fields = {part.name: (part.value, part.type) for part in components(form) if type(part).__name__ == "Input"}
    assert form.action == "/late-ranks"
    assert fields["ranks"] == ("0-2", "text")
    assert fields["least_ms"] == ("5", "hidden")
    assert fields["trace"] == (trace.identity[:8], "hidden")
    assert {name: value for name, (value, _) in fields.items() if value} == {
        "ranks": "0-2", "least_ms": "5", "trace": trace.identity[:8],
    }  # fmt: skip


def test_marks_of_figures_lead_to_what_explains_them(trace: hopscope.Trace) -> None:
    page = draw(trace, "/late-ranks")
    assert page.marks("late-by-how-much")[0] == [f"?ranks={rank}" for rank in page.plot("late-by-how-much")[0]["y"]]
    page = draw(trace, "/critical-path?from=i:2")
    names = [bar["name"] for bar in page.plot("critical-path-bar")]
    assert page.marks("critical-path-bar")[names.index("wan")] == ["/wan-share"]
    page = draw(trace, "/last-arrivals?by=host")
    hosts = page.plot("arrival-waiting")[0]["y"]
    of_host = {
        host: [str(row["rank"]) for row in trace.table("ranks").to_pylist() if row["host"] == host] for host in hosts
    }
    assert page.marks("arrival-waiting")[0] == [f"?ranks={'%2C'.join(of_host[host])}" for host in hosts]
    assert "ranks 0,3,6" in text(page.go(page.marks("arrival-waiting")[0][hosts.index("alpha")]).part("selection"))


def test_a_cell_of_noise_leads_to_its_collective_and_one_of_messages_selects_both_ranks(trace: hopscope.Trace) -> None:
    page = draw(trace, "/noise")
    (series,) = page.figure("noise-heat-map").data
    names = {row["iteration"]: row["collective_id"] for row in trace.iterations().to_pylist()}
    rank, iteration = 2, 12
    name = trace.sql(
        "select comm || ':' || seq as name from collectives where collective_id = $ends", {"ends": names[iteration]}
    ).to_pylist()[0]["name"]
    row, column = list(series.y).index(rank), list(series.x).index(iteration)
    lead = page.marks("noise-heat-map")[0][row * len(series.x) + column]
    assert f"MPI_Allreduce {name}" in page.go(lead).text
    page = draw(trace, "/messages")
    (series,) = page.figure("messages-matrix").data
    row, column = (list(axis).index(rank) for axis, rank in ((series.y, 3), (series.x, 4)))
    assert page.marks("messages-matrix")[0][row * len(series.x) + column] == "?ranks=3%2C4"


def test_the_noise_of_selected_iterations_is_that_of_the_analysis(trace: hopscope.Trace) -> None:
    page = draw(trace, "/noise?from=i:8&to=i:36")
    assert "A part of the run: from i:8, to i:36" in text(page.part("selection"))
    rows = trace.noise(from_="i:8", to="i:36").to_pylist()
    assert [(row[5], row[6]) for row in page.table("noise-table")] == [
        ("28", quantities.duration(row["noise_ns"])) for row in rows
    ]


def test_a_step_of_a_path_leads_to_its_time_in_the_timeline(trace: hopscope.Trace) -> None:
    page = draw(trace, "/collective?comm=0&seq=3&view=20000000..60000000")
    steps = trace.critical_path(collective="0:3").to_pylist()
    rows = [part for part in components(page.part("path-table").children[1]) if type(part).__name__ == "Tr"]
    leads = [next(str(part.href) for part in components(row) if getattr(part, "href", None)) for row in rows]
    addresses = [parse_qs(urlsplit(lead).query) for lead in leads]
    assert [(query["from"], query["to"]) for query in addresses] == [
        ([str(step["begin_ns"])], [str(step["end_ns"])]) for step in steps
    ]
    # The view is around the step, not that of the collective.
    assert ["20000000..60000000"] not in [query["view"] for query in addresses]
