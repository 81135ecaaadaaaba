"""The list of collectives with the longest names of operations, in a browser."""

from pathlib import Path

import pytest
from conftest import Serve
from playwright.sync_api import Page, expect
from reading import measured
from sample_copy import open_copy


@pytest.mark.browsers
def test_the_list_of_collectives_cuts_no_long_name(page: Page, serve: Serve, tmp_path: Path) -> None:
    # Regression: the longest names of operations were cut, and so were numbers of ten digits, as some nonblocking
    # collectives have.
    trace = open_copy("many_collectives/trace", tmp_path)
    page.goto(f"{serve(trace)}/collectives?search=MPI_Reduce_scatter_block")
    page.set_viewport_size({"width": 1024, "height": 800})
    expect(page.locator("#collectives-grid .ag-cell[col-id=operation]").first).to_have_text("MPI_Reduce_scatter_block")
    assert measured(page) == []
