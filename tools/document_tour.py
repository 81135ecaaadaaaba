"""Runs docs/tour.ipynb and keeps its outputs in it; with --check, fails if they are other than the kept ones."""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "docs" / "tour.ipynb"


def run() -> nbformat.NotebookNode:
    """The notebook with fresh outputs, those for browsers and plain text; of a figure only that it is one, which is
    the same wherever it is drawn. Raises nbclient's CellExecutionError."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": NOTEBOOK.parent}}
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.metadata.get("language_info", {}).pop("version", None)
    return notebook


def words(notebook: nbformat.NotebookNode) -> list[Any]:
    """The cells' output as plain text."""
    texts: list[Any] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            figure = any("plotly" in kind for kind in data)
            texts.append("a figure" if figure else output.get("text", data.get("text/plain")))
    return texts


def main() -> int:
    """Write the notebook, or compare it."""
    fresh = run()
    if "--check" not in sys.argv[1:]:
        nbformat.write(fresh, NOTEBOOK)
    elif words(fresh) != words(nbformat.read(NOTEBOOK, as_version=4)):
        print(f"{NOTEBOOK.name} is out of date: run .venv/bin/python tools/document_tour.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
