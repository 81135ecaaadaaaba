"""On narrow and wide windows, with few and many ranks, no part of a page is cut, hidden without a scroll bar, or drawn
outside its place. `widths.js` measures this in the page."""

from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope_dashboard.pages import PAGES
from playwright.sync_api import Page, expect
from reading import NARROWEST, WIDTHS, is_wider, measured, scrolled_tables
from simulated_run import SimulatedRun

GO = """path => {
  history.pushState({}, "", path);
  window.dispatchEvent(new CustomEvent("_dashprivate_pushstate"));
}"""
"""Script that goes to another page without loading the application again, because loading takes most of the time."""


WIDER = ("/collective", "/tree", "/remap", "/last-arrivals")
"""Pages that are drawn in another way for hundreds of ranks; the others are as with 64 ranks."""


@pytest.mark.browsers
@pytest.mark.parametrize(
    ("ranks", "paths"),
    [(8, None), (64, None), (256, WIDER)],
)
def test_nothing_is_cut_at_any_width(
    window: Page, serve: Serve, tmp_path: Path, ranks: int, paths: tuple[str, ...] | None
) -> None:
    trace = hopscope.open(SimulatedRun(ranks=ranks, iterations=6).write(tmp_path / "solver"))
    address = serve(trace)
    window.set_viewport_size({"width": WIDTHS[0], "height": 900})
    window.goto(address)
    wrong = []
    for page in PAGES:
        if paths and page.path not in paths:
            continue
        window.evaluate(GO, page.path)
        expect(window).to_have_title(f"{page.title} · solver · Hopscope", timeout=60_000)
        window.locator("#content h1").wait_for()  # so that the announcement of a page does not count
        expect(window.locator("[data-dash-is-loading=true], .dash-graph--pending")).to_have_count(0, timeout=60_000)
        for width in WIDTHS:
            window.set_viewport_size({"width": width, "height": 900})
            wrong += [f"{page.path} at {width}: {fault}" for fault in measured(window)]
            wrong += [
                f"{page.path} at {width}: a column of {table_id} is out of sight"
                for table_id in scrolled_tables(window)
            ]
        window.set_viewport_size({"width": NARROWEST, "height": 900})
        wrong += [f"{page.path} is wider than {NARROWEST}"] if is_wider(window) else []
        window.set_viewport_size({"width": WIDTHS[0], "height": 900})
    assert wrong == []
