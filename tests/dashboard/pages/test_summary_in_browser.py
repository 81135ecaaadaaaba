"""The first page of ten kinds of trace: the verdict is visible without scrolling, and nothing is cut at any width."""

import threading
from collections.abc import Iterator
from pathlib import Path

import hopscope
import pytest
from hopscope_dashboard.app.application import create_app
from playwright.sync_api import Page, expect
from reading import measured, scrolled_tables, wait_for_page
from recorded_jobs import sample_trace, shared_folder
from werkzeug.serving import make_server

ARCHIVE = Path(__file__).parents[2] / "convert" / "archives" / "scorep-8.4-mpi-openmp-4x2"
NAMES = (
    "demo/trace",
    "observe_only/trace",
    "late_rank/trace",
    "many_collectives/trace",
    "native_collectives/trace",
    "changed_tree/base",
    "planted/situation_balanced_2_mpich-5/trace",
    "planted/situation_start_8_openmpi-5/trace",
    "planted/situation_link_8_openmpi-4/trace",
)
"""Samples: over a tree, without hops, with one late rank, with nonblocking collectives, with the library's own
messages, one of a pair, without a problem, with a long start-up, and over a network."""
SIZES = ((1024, 768), (1440, 900), (1920, 1080))
"""Windows in pixels. A verdict fits into the second one."""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[hopscope.Trace]:
    """The samples, and a trace that Score-P recorded of ranks with threads."""
    shared = shared_folder(tmp_path_factory)
    scorep = hopscope.open(ARCHIVE / "traces.otf2", dataset=tmp_path_factory.mktemp("scorep") / "dataset")
    return [*(sample_trace(shared, name) for name in NAMES), scorep]


@pytest.fixture(scope="module")
def address(traces: list[hopscope.Trace]) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, create_app(traces).server, threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.browsers
def test_the_verdict_needs_no_scrolling_and_nothing_is_cut(
    page: Page, address: str, traces: list[hopscope.Trace]
) -> None:
    wrong: list[str] = []
    for trace in traces:
        sentence = trace.diagnose()["sentence"].to_pylist()
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{address}/?trace={trace.identity[:8]}")
        wait_for_page(page, "Summary")
        verdict = page.locator("#verdict")
        words = " ".join(verdict.inner_text().split())
        assert any(words.endswith(" ".join(text.replace("`", "").split())) for text in sentence), words
        expect(verdict).to_be_in_viewport(ratio=1)
        expect(page.locator("#whole-run")).to_be_in_viewport(ratio=0.5)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wrong += [f"{trace.path} at {width}: {fault}" for fault in (*measured(page), *scrolled_tables(page))]
    assert wrong == []
