"""The notebook runs, and what it shows is what it shows today."""

import document_tour
import nbformat
import pytest


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the kernel's own packages
def test_the_tour_runs_and_says_what_is_kept_in_it() -> None:
    notebook = nbformat.read(document_tour.NOTEBOOK, as_version=4)
    assert document_tour.words(document_tour.run()) == document_tour.words(notebook), "run tools/document_tour.py"
