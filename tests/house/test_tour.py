"""The notebook runs in a kernel, and the output of each cell agrees with the text about that cell."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tour.ipynb"

TRUTHS = {
    "cell-01": 'dict(zip(_["item"], _["note"]))["tree file"] == "binomial-mpich"',
    "cell-03": 'any("emulated" in sentence for sentence in trace.caveats())',
    "cell-05": '_.set_index("category")["share"]["wan"] > 0.98 and abs(_["share"].sum() - 1) < 1e-6',
    "cell-06": 'set(_["link"]) == {"wan"} and _["share"].is_monotonic_decreasing',
    "cell-08": 'type(_).__name__ == "Figure" and len(_.data) > 1',
    "cell-10": 'list(_["rank"][_["late"]]) == [2] == list(_["rank"][_["cause_share"] == 1])',
    "cell-12": 'dict(zip(_["link"], _["hops"])) == {"lan": 80, "wan": 480}',
    "cell-14": '_["name"][_["chosen"]].item().startswith("leaders") and _["gain"][_["chosen"]].item() > 0.5',
}
"""Truths after each cell, where `_` is its output."""


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the kernel's own packages
def test_the_tour_runs_and_its_cells_show_what_the_text_says() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert [cell.id for cell in notebook.cells if cell.cell_type == "code"] == list(TRUTHS)
    checked = [nbformat.v4.new_code_cell(f"assert {truth}") for truth in TRUTHS.values()]
    checks = dict(zip(TRUTHS, checked, strict=True))
    notebook.cells = [step for cell in notebook.cells for step in (cell, checks.get(cell.id)) if step is not None]
    NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": NOTEBOOK.parent}}
    ).execute()
    assert [cell.id for cell in notebook.cells if cell.id in TRUTHS and not cell.outputs] == []


def test_the_notebook_is_kept_without_outputs() -> None:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert [cell.id for cell in cells if cell.get("outputs") or cell.get("execution_count")] == []
