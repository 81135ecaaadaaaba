"""Names that come from other people's programs and hosts never control a terminal, act as markup, or become a formula
in a spreadsheet. JSON has them unchanged."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import hopscope
import pyarrow as pa
import pytest
from drawing import draw
from hopscope.export import write_tables
from hopscope.gate.judgement import Outcome
from hopscope.gate.markdown import as_markdown
from hopscope.gate.suite import GateResult
from hopscope.launch.inspection import Inspection
from hopscope.render.inspection import print_inspection
from hopscope.render.machine import as_csv, as_json
from hopscope.render.terminal import print_rows
from hopscope.render.visible import visible, visible_line
from started_commands import analyze

HOSTILE = "a\x1b]0;owned\x07\x9b31m\u202eb[red]"
ESCAPED = r"a\x1b]0;owned\x07\x9b31m\u202eb[red]"
ACTING = ("\x1b", "\x07", "\x9b", "\u202e")


def acts(text: str) -> bool:
    return any(character in text for character in ACTING)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> Path:
    return opened_once(
        draw(
            tmp_path_factory.mktemp("hostile") / "d",
            ranks=f"rank host cluster\n0 {HOSTILE} =1+1\n1 {HOSTILE} -2",
            comms=f"comm name size members\n0 {HOSTILE} 2 0,1",
            intervals=f"rank begin_ns end_ns region\n0 0 50 {HOSTILE}\n1 0 60 {HOSTILE}",
        )
    )


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_no_name_acts_on_the_terminal(hostile: Path, form: str) -> None:
    done = analyze("sql", hostile, 'select host as "h[blue]" from ranks', "--format", form)
    assert done.returncode == 0
    assert not acts(done.stdout + done.stderr)
    if form == "json":
        assert json.loads(done.stdout) == [{"h[blue]": HOSTILE}] * 2
    else:
        assert done.stdout.count(ESCAPED) == 2
        assert "h[blue]" in done.stdout


def test_no_sentence_of_a_gate_nor_an_error_acts_on_the_terminal(hostile: Path) -> None:
    done = analyze("summary", hostile, "--fail-if", "'x'.value > 0", "--fail-if", f"'{HOSTILE}'.value > 0")
    assert done.returncode == 2
    assert not acts(done.stderr)
    for words in (["summary", f"no{HOSTILE}"], [f"no{HOSTILE}", hostile], ["sql", hostile, f"select '{HOSTILE}"]):
        done = analyze(*words)
        assert (done.returncode, acts(done.stderr)) == (2, False), words
        assert "x1b" in done.stderr


def test_an_inspection_shows_names_as_text() -> None:
    output = io.StringIO()
    facts = {"ranks": [], "comms": [], "missing": [HOSTILE], "now_ns": None, "modules": [], "started_ns": None}
    print_inspection(output, Inspection(facts))
    assert f"missing: {ESCAPED}" in output.getvalue()


def test_a_cell_stays_in_its_line() -> None:
    output = io.StringIO()
    print_rows(output, pa.table({"name": ["a\nb\tc\rd", "\x85\u2028e"]}))
    assert r"a\nb\tc\rd" in output.getvalue()
    assert r"\x85\u2028e" in output.getvalue()
    assert visible("a\n\tb\r") == "a\n\tb\\r"
    assert visible_line("äö €") == "äö €"


def test_a_comment_shows_escapes_as_text() -> None:
    results = [GateResult("summary", "time", "a.b > 1", Outcome("a.b > 1", "failed", f"of {HOSTILE}"))]
    row = {"section": "cost", "item": HOSTILE, "value": 1.0, "unit": None, "sentence": HOSTILE}
    text = as_markdown(HOSTILE, HOSTILE, results, [HOSTILE], [row])
    assert not acts(text)
    assert r"\\x1b" in text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@sum", "\tx", "\rx", "-"])
def test_a_text_that_a_spreadsheet_would_compute_is_text(text: str) -> None:
    lines = list(csv.reader(io.StringIO(as_csv(pa.table({"name": [text], "time_ns": [-5], "mean": [-0.5]})))))
    assert lines[1] == [f"'{visible(text)}" if text != "\rx" else r"\rx", "-5", "-0.5"]
    assert json.loads(as_json(pa.table({"name": [text]}))) == [{"name": text}]


def test_exported_tables_have_texts_as_text_and_numbers_as_numbers(hostile: Path, tmp_path: Path) -> None:
    write_tables(hopscope.open(hostile), tmp_path / "ranks.csv", "csv", tables=["ranks"])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "ranks.csv").read_text())))
    assert [row["cluster"] for row in rows] == ["'=1+1", "'-2"]
    assert [row["rank"] for row in rows] == ["0", "1"]
