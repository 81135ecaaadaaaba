"""`import hopscope` is typed: a user's type checker knows every analysis, its options and its result, and reports
mistakes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """\
from pathlib import Path

import hopscope

trace = hopscope.open("trace")
rows: int = trace.critical_path(by="rank").num_rows
trace.compare(base=Path("other"), least=0.1)
trace.compare(base=trace, by="structure")
trace.collectives(order="first", limit=3, operation="MPI_Bcast")
with hopscope.region("solve"):
    sentences: list[str] = trace.caveats()
"""
MISTAKES = {
    "trace.critical_pth()": "reportAttributeAccessIssue",
    'trace.critical_path(by="rnk")': "reportArgumentType",
    'trace.collectives(limit="3")': "reportArgumentType",
    "trace.critical_path(rank=3)": "reportCallIssue",
    "trace.compare()": "reportCallIssue",
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    """The complaints of basedpyright: the line and the rule."""
    folder = tmp_path_factory.mktemp("user")
    lines = [*PROGRAM.splitlines(), *MISTAKES]
    (folder / "ask.py").write_text("\n".join(lines) + "\n")
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard"}))
    checker = Path(sys.executable).parent / "basedpyright"
    done = subprocess.run(
        [checker, "--outputjson", "--pythonpath", sys.executable, "."],
        cwd=folder, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    diagnostics = json.loads(done.stdout)["generalDiagnostics"]
    return [
        (lines[diagnostic["range"]["start"]["line"]], diagnostic["rule"])
        for diagnostic in diagnostics
        if diagnostic["severity"] == "error"
    ]


def test_a_program_that_is_right_has_no_complaint(complaints: list[tuple[str, str]]) -> None:
    assert [complaint for complaint in complaints if complaint[0] not in MISTAKES] == []


def test_a_misspelt_analysis_a_wrong_option_and_a_wrong_type_are_found(complaints: list[tuple[str, str]]) -> None:
    assert dict(complaints) == MISTAKES


def test_other_packages_may_take_its_types() -> None:
    import hopscope

    assert (Path(hopscope.__file__).parent / "py.typed").is_file()
