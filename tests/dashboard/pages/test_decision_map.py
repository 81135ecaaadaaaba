"""The page Decision map: a cell for each size and number of ranks, the method of each view, and its penalty."""

from pathlib import Path

import hopscope
import pytest
from drawn_page import DrawnPage, draw
from hopscope.advice.sweep.grid import Point
from hopscope.advice.sweep.measured import Sweep as Measured
from hopscope.advice.sweep.methods import OWN_CHOICE, Method
from hopscope.mpi_libraries.offered import Offered
from hopscope_dashboard.data.trace import Sweep
from hopscope_dashboard.navigation import menu
from hopscope_dashboard.navigation.traces import Traces
from hopscope_dashboard.pages import PAGES
from hopscope_dashboard.pages.improve import decision_map

LINEAR = Method("basic_linear", Offered("bcast", "basic_linear", 1, "coll_tuned_bcast_algorithm"))
CHAIN = Method("chain/8192", Offered("bcast", "chain", 2, "coll_tuned_bcast_algorithm"), 8192)


@pytest.fixture
def sweep(tmp_path: Path) -> Sweep:
    """Two sizes and two numbers of ranks. The default takes 2,000 ns, twice the best method's time except at one
    point."""
    provenance = {"hosts": ["a"] * 4, "at": "", "command": [], "library": "", "flavour": "openmpi", "net": None}
    measured = Measured(
        {**provenance, "besides": [], "spent_s": 1.0, "complete": True}, {"bcast": [OWN_CHOICE, LINEAR, CHAIN]}
    )
    best = {(2, 1): "basic_linear", (4, 1): "basic_linear", (2, 65536): "chain/8192", (4, 65536): "default"}
    for (ranks, size), name in best.items():
        for method in ("default", "basic_linear", "chain/8192"):
            time = 1000.0 if method == name else 2000.0
            measured.add(Point("bcast", ranks, size), method, [time] * 4)
    measured.write(tmp_path / "machine-rules.json")
    return Sweep(tmp_path / "machine-rules.json")


def page(trace: hopscope.Trace, sweep: Sweep | None, search: str = "") -> DrawnPage:
    return draw(Traces([trace], sweep).members[0], f"/decision-map{search}")


def cells(drawn_page: DrawnPage) -> list[list[str]]:
    (heat,) = drawn_page.part(decision_map.FIGURE).figure.data
    return [list(row) for row in heat.text]


def test_each_cell_has_the_best_method_of_its_size_and_ranks(trace: hopscope.Trace, sweep: Sweep) -> None:
    drawn_page = page(trace, sweep)
    assert cells(drawn_page) == [["basic_linear", "chain<br>/8192"], ["basic_linear", "default"]]
    (heat,) = drawn_page.part(decision_map.FIGURE).figure.data
    assert heat.hovertext[0][0] == "<b>2 ranks, 1 B</b><br>best: basic_linear, 1.00 µs<br>default: 2.00 µs, +100.0 %"
    assert "Penalty of the library's own choice" in drawn_page.text


def test_the_default_s_view_has_its_penalties(trace: hopscope.Trace, sweep: Sweep) -> None:
    drawn_page = page(trace, sweep, "?op=bcast&by=default")
    assert cells(drawn_page) == [
        ["default<br>+100.0 %", "default<br>+100.0 %"],
        ["default<br>+100.0 %", "default<br>+0.0 %"],
    ]


def test_only_views_that_choose_are_offered(trace: hopscope.Trace, sweep: Sweep) -> None:
    assert "Hockney" not in page(trace, sweep).text  # the file has no parameters


def test_without_a_sweep_the_menu_hides_the_page_and_the_page_says_what_to_do(
    trace: hopscope.Trace, sweep: Sweep
) -> None:
    with_sweep, without_sweep = (Traces([trace], machine_file).members[0] for machine_file in (sweep, None))
    assert decision_map.PAGE.path in menu.lacking(PAGES, without_sweep)
    assert decision_map.PAGE.path not in menu.lacking(PAGES, with_sweep)
    assert "start hopscope dashboard with --machine machine-rules.json" in page(trace, None).text
