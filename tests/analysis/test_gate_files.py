"""`analyze gate`: finds a project's gates, evaluates the structure first, and writes the outcome for CI systems."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import hopscope
import jsonschema
import pytest
from drawing import draw
from hopscope.dataset.store import schema_directory
from hopscope.errors import InputError
from hopscope.gate.config import find, read
from hopscope.gate.judgement import Outcome, Verdict
from hopscope.gate.junit import as_junit
from hopscope.gate.markdown import LONGEST, as_markdown
from hopscope.gate.suite import GateResult
from started_commands import analyze
from test_answers import TABLES

GATES = """
[gates]
last-arrivals = ["*.waiting_ns > 1s", "*.collectives < baseline"]
"summary --by operation" = "MPI_Allreduce.hops > 4"
"compare --by structure" = "*.changed == 1"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> Path:
    """A folder with two traces and its gates. A test that needs other gates writes them to another file."""
    folder = tmp_path_factory.mktemp("project")
    opened_once(draw(folder / "trace", **TABLES))
    opened_once(draw(folder / "other", **{**TABLES, "calls": TABLES["calls"].replace("binomial", "flat")}))
    (folder / "hopscope.toml").write_text(GATES)
    (folder / "below").mkdir()
    return folder


def gate(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return analyze("gate", "../trace", *arguments, cwd=project / "below")


def test_structure_comes_first_and_all_pass_against_the_same_run(project: Path) -> None:
    done = gate(project, "--baseline", "../trace", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads(done.stdout)
    assert [(row["kind"], row["analysis"], row["outcome"]) for row in rows] == [
        ("structure", "summary --by operation", "passed"),
        ("structure", "compare --by structure", "passed"),
        ("time", "last-arrivals", "passed"),
        ("time", "last-arrivals", "passed"),
    ]


def test_a_gate_that_an_analysis_has_by_itself_is_judged_once(project: Path) -> None:
    """check-data itself exits with 1 if a row is beyond; the file of gates may contain that gate too."""
    (project / "own.toml").write_text('[gates]\ncheck-data = ["*.beyond > 0", "*.beyond > 1"]')
    rows = json.loads(gate(project, "--config", "../own.toml", "--format", "json").stdout)
    assert [row["gate"] for row in rows] == ["*.beyond > 0", "*.beyond > 1"]


def test_a_gate_is_about_a_part_of_the_run(project: Path) -> None:
    (project / "part.toml").write_text('[gates]\n"collectives --operation MPI_Barrier" = "*.bytes > 0"')
    rows = json.loads(gate(project, "--config", "../part.toml", "--format", "json").stdout)
    assert [(row["analysis"], row["outcome"]) for row in rows] == [("collectives --operation MPI_Barrier", "passed")]
    (project / "part.toml").write_text('[gates]\n"collectives --operation MPI_Nothing" = "*.bytes > 0"')
    done = gate(project, "--config", "../part.toml")
    assert (done.returncode, "the trace has no calls of MPI_Nothing" in done.stdout + done.stderr) == (2, True)


def test_several_baselines_are_runs_of_one_for_compare(project: Path) -> None:
    (project / "times.toml").write_text('[gates]\n"compare --statistic median" = "*.base_runs != 3"')
    options = ["--baseline", "../trace", "--baseline", "../trace", "--baseline", "../trace", "--also", "../trace"]
    done = gate(project, *options, "--config", str(project / "times.toml"))
    assert (done.returncode, done.stderr) == (0, "")
    done = gate(project, *options[:4], "--config", str(project / "times.toml"))
    assert (done.returncode, "base_runs is 2" in done.stderr) == (1, True)


def test_another_tree_fails_the_structural_gate(project: Path) -> None:
    done = gate(project, "--baseline", "../other")
    assert done.returncode == 1
    assert "tree.changed is yes" in done.stderr


def test_without_a_baseline_gates_on_it_cannot_be_judged_or_are_left_out(project: Path) -> None:
    done = gate(project)
    assert done.returncode == 2
    assert done.stderr.count("give one with --baseline BASE") == 2
    assert gate(project, "--skip-baseline").returncode == 0


def test_everything_is_written_for_ci(project: Path) -> None:
    files = [str(project / name) for name in ("gates.xml", "gates.md", "gates.json")]
    done = gate(
        project, "--baseline", "../other", "--junit", files[0], "--markdown", files[1], "--report", files[2]
    )  # fmt: skip
    assert done.returncode == 1
    suite = ElementTree.parse(files[0]).getroot()[0]
    assert {name: suite.get(name) for name in ("tests", "failures", "errors")} == {
        "tests": "4", "failures": "1", "errors": "0",
    }  # fmt: skip
    assert suite[1].get("classname") == "structure.compare --by structure"
    failure = suite[1].find("failure")
    assert failure is not None
    assert "changed is yes" in (failure.get("message") or "")
    text = Path(files[1]).read_text()
    assert text.startswith("### ❌ Hopscope: gates failed\n")
    assert "4 gates: 3 passed, 1 failed on trace against other." in text
    assert text.index("tree.changed is yes") < text.index("<details>") < text.index("3 passed", text.index("<details>"))
    assert "1 of 3 collectives are incomplete" in text
    assert "of 3 lack a member's enter or leave" in text
    # The complete diagnosis, in its order.
    plain = re.sub(r"\\(.)", r"\1", text)
    entries = hopscope.open(project / "trace").diagnose().to_pylist()
    places = [plain.index(f"{entry['severity']}: {entry['sentence']}") for entry in entries]
    assert places == sorted(places)
    report = json.loads(Path(files[2]).read_text())
    jsonschema.validate(report, json.loads((schema_directory() / "report.schema.json").read_text()))
    assert (report["analysis"], report["outcome"], report["parameters"]["baseline"]) == ("gate", "failed", "other")
    assert len(report["gates"]) == 4


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('[gates]\nnonsense = "a.b > 1"', "unknown analysis 'nonsense'"),
        ('[gates]\ncritical-pth = "a.b > 1"', "remap. Did you mean critical-path?"),
        ('[gates]\n"remap --ranks 0" = "*.gain > 1"', "'remap --ranks 0': remap is about the whole run; leave out"),
        ('[gates]\n"summary --by colour" = "a.b > 1"', "'colour' is not one of"),
        ('[gates]\n"summary --speed 3" = "a.b > 1"', "No such option"),
        ('[gates]\nsummary = "a.b >"', "expected a number"),
        ('[gates]\nsummary = "ranks.value > 4e400"', "expected a smaller number"),
        ("[gates]\nsummary = 3", "is not an analysis with a gate"),
        ("[gates]", "missing or empty"),
        ("[gates", "cannot read"),
    ],
)
def test_a_file_that_makes_no_sense_says_where(project: Path, text: str, complaint: str) -> None:
    (project / "wrong.toml").write_text(text)
    done = gate(project, "--config", "../wrong.toml")
    assert done.returncode == 2
    assert "wrong.toml" in done.stderr
    assert complaint in done.stderr


def test_the_nearest_file_with_gates_is_taken(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text('[tool.hopscope.gates]\nsummary = "a.value > 1"')
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.other]\nx = 1")
    assert find(inner) == tmp_path / "pyproject.toml"
    assert [entry.question for entry in read(find(inner))] == ["summary"]
    (tmp_path / "a" / "hopscope.toml").write_text("[gates]\nnoise = []")
    assert find(inner) == tmp_path / "a" / "hopscope.toml"


def test_no_file_says_what_to_write(tmp_path: Path) -> None:
    if any((parent / name).exists() for parent in tmp_path.parents for name in ("hopscope.toml", "pyproject.toml")):
        pytest.fail(f"a project's file lies above {tmp_path}, so this test cannot tell")
    with pytest.raises(InputError, match=r"Write a hopscope\.toml such as"):
        find(tmp_path)


def gate_result(sentence: str, outcome: Verdict = "failed", question: str = "summary") -> GateResult:
    return GateResult(question, "time", "a.b > 1", Outcome("a.b > 1", outcome, sentence))


def test_a_comment_is_never_longer_than_one_may_be() -> None:
    for letter in ("x", "|", "&", "@", "\n"):
        results = [
            gate_result(letter * 5000, outcome, letter * 5000) for outcome in ("failed", "passed") for _ in range(500)
        ]
        row = {"section": "cost", "item": letter * 5000, "value": None, "unit": None, "sentence": letter * 5000}
        assert len(as_markdown("t", "b", results, [letter * 5000] * 500, [row] * 500)) < LONGEST


def test_names_of_a_trace_are_no_markup_and_nobody_is_mentioned() -> None:
    text = as_markdown("t", None, [gate_result("a | b <script> @somebody [x](y) `c`")], [])
    assert "a \\| b &lt;script&gt; @\u2060somebody \\[x\\](y) \\`c\\`" in text


def test_xml_holds_whatever_a_name_holds() -> None:
    root = ElementTree.fromstring(as_junit("t", [gate_result("a \x00 < \x1b & \ud800 b")]).encode())
    assert root[0][0][0].get("message") == r"a \x00 < \x1b & \ud800 b"


def test_a_file_that_cannot_be_written_is_wrong_input(project: Path) -> None:
    done = gate(project, "--skip-baseline", "--junit", "no/such/place.xml")
    assert done.returncode == 2
    assert "cannot write" in done.stderr
