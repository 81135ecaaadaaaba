"""The commands as a user sees them: stdout, stderr and exit codes."""

import csv
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import hopscope
import jsonschema
import pytest
from drawing import draw
from hopscope.cli.analyze import COMPUTED
from hopscope.cli.analyze import analyze as analyze_group
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as hopscope_group
from hopscope.dataset.store import schema_directory, table_names
from hopscope.errors import InputError
from hopscope.files import whole_file
from hopscope.query import catalog
from hopscope.selection import OPTIONS
from started_commands import analyze
from started_commands import hopscope as hopscope_command
from test_answers import TABLES

COMMANDS = [*catalog.load().commands]


def exit_code(*arguments: str | Path) -> object:
    """Exit code of `analyze` in this process, for the many cases in which a new process would show nothing more."""
    with pytest.raises(SystemExit) as exit_info:
        execute(analyze_group, "analyze", [*map(str, arguments)])
    return exit_info.value.code


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory, opened_once: Callable[[Path], Path]) -> Path:
    return opened_once(draw(tmp_path_factory.mktemp("cli") / "d", **TABLES))


def asking(command: str, dataset: Path) -> list[str | Path]:
    """The command with its required arguments."""
    default = catalog.load().command(command).default
    needs_collective = any(p.name == "collective" for p in default.parameters)
    return [command, *[dataset] * (2 if default.base else 1), *(["--collective", "0:0"] if needs_collective else [])]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_gives_json_rows_with_the_documented_columns(
    command: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code(*asking(command, dataset), "--format", "json") == 0
    analysis = catalog.load().command(command).default
    answer: Any = json.loads(capsys.readouterr().out)
    rows: list[dict[str, Any]] = answer[analysis.object] if analysis.object else answer
    assert all(list(row) == [column.name for column in analysis.columns] for row in rows)


@pytest.mark.parametrize("name", ["late", "noise"])
def test_a_word_alone_that_is_a_path_is_a_trace_also_with_the_name_of_a_command(
    name: str, dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Regression: if the working directory had a folder `noise`, `analyze noise` said that an argument was missing.
    monkeypatch.chdir(tmp_path)
    Path(name).symlink_to(dataset)
    assert exit_code(name) == 0
    alone = capsys.readouterr().out
    assert exit_code("diagnose", name) == 0
    assert alone == capsys.readouterr().out
    assert exit_code("noise", name) == 0


WHOLE_RUN = [
    *(name for name in COMMANDS if all(grain.whole_run for grain in catalog.load().command(name).grains)),
    *COMPUTED,
]


@pytest.mark.parametrize("command", WHOLE_RUN)
def test_what_is_about_the_whole_run_lists_no_part_and_says_so(
    command: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Regression: the help of remap listed `--ranks` and similar options, which remap then rejected."""
    assert exit_code(command, "--help") == 0
    assert "--ranks" not in capsys.readouterr().out
    assert exit_code(command, dataset, "--ranks", "0") == 2
    stderr = capsys.readouterr().err
    assert stderr == f"analyze: {command} is about the whole run; leave out --ranks 0\n"


def test_remap_refuses_every_option_that_selects_a_part(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in OPTIONS:
        assert exit_code("remap", dataset, f"--{option}", "1") == 2
        assert f"remap is about the whole run; leave out --{option} 1" in capsys.readouterr().err


def test_csv_has_the_same_rows_and_raw_numbers(dataset: Path) -> None:
    rows = list(
        csv.DictReader(
            io.StringIO(analyze("collective-hops", dataset, "--collective", "0:0", "--format", "csv").stdout)
        )
    )
    assert [row["time_ns"] for row in rows] == ["4", "19", "9", "12"]
    assert rows[0]["on_path"] == "false"


def test_a_table_shows_units_and_intervals_for_people(dataset: Path) -> None:
    assert "410 ns" in analyze("summary", dataset).stdout  # time in MPI_Allreduce
    assert "12.0 %" in analyze("trust", dataset).stdout  # the cost of tracing


def test_what_is_missing_is_said_on_stderr_beside_the_answer(dataset: Path) -> None:
    done = analyze("last-arrivals", dataset, "--format", "json")
    assert json.loads(done.stdout)
    assert "note: 1 of 3 collectives are incomplete" in done.stderr


@pytest.mark.parametrize(
    ("gates", "code", "sentence"),
    [
        (["native.share > 0"], 2, "native.share has no value"),  # the dataset has no path of the run
        (["nothing.share > 0"], 2, "no row 'nothing'; the rows are compute"),
        (["compute.speed > 0"], 2, "unknown column speed"),
        (["compute.time_ns > 5ms"], 0, ""),
        (["compute.time_ns < 5ms"], 1, "gate 'compute.time_ns < 5ms' fails: compute.time_ns is 0 ns"),
        (["compute.share > 0", "compute.time_ns < 5ms"], 1, "cannot be judged"),
        (["compute.time_ns >"], 2, "expected a number at position"),
    ],
)
def test_gates_decide_the_exit_code(dataset: Path, gates: list[str], code: int, sentence: str) -> None:
    done = analyze("critical-path", dataset, *(word for gate in gates for word in ("--fail-if", gate)))
    assert (done.returncode, sentence in done.stderr) == (code, True), done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_gates(command: str, dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(*asking(command, dataset), "--fail-if", "x.no_such_column > 1") == 2
    assert "unknown column no_such_column" in capsys.readouterr().err


def test_check_data_fails_by_itself_on_a_broken_dataset(tmp_path: Path, dataset: Path) -> None:
    # The drawing has a run without a path, which no rule forbids, and incomplete collectives, which are exempt.
    assert analyze("check-data", dataset).returncode == 0
    broken = {
        **TABLES,
        "hops": TABLES["hops"].replace("111           101          115", "111           101          99"),
    }
    done = analyze("check-data", draw(tmp_path / "broken", **broken))
    assert done.returncode == 1
    assert "a hop is received after it was sent.beyond is 1" in done.stderr


def test_a_report_fits_its_schema_and_holds_rows_and_gates(dataset: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    gates = ["--fail-if", "a.waiting_ns > 1s", "--fail-if", "b.waiting_ns > 1ns"]
    done = analyze("last-arrivals", dataset, "--by", "host", *gates, "--report", report)
    assert done.returncode == 1
    written = json.loads(report.read_text())
    jsonschema.validate(written, json.loads((schema_directory() / "report.schema.json").read_text()))
    assert written["analysis"] == "last-arrivals"
    assert written["parameters"] == {"by": "host"}
    assert [gate["outcome"] for gate in written["gates"]] == ["passed", "failed"]
    assert written["outcome"] == "failed"
    assert written["rows"] == json.loads(analyze("last-arrivals", dataset, "--by", "host", "--format", "json").stdout)
    assert any("incomplete" in caveat for caveat in written["caveats"])
    assert {row["section"] for row in written["trust"]} == {"data", "coverage", "engines", "clocks", "cost"}


def test_a_report_that_cannot_be_written_is_wrong_input(dataset: Path, tmp_path: Path) -> None:
    done = analyze("summary", dataset, "--report", tmp_path / "no" / "such" / "place.json")
    assert done.returncode == 2
    assert "cannot write " in done.stderr


def test_a_place_that_takes_no_file_is_not_called_full(tmp_path: Path) -> None:
    # Regression: the advice was to free space, and the message named a temporary file of Hopscope's own.
    (tmp_path / "file").touch()
    for place, reason in ((tmp_path, "Is a directory"), (tmp_path / "file" / "x.html", "Not a directory")):
        with pytest.raises(InputError) as refused, whole_file(place):
            pytest.fail("there is nothing to write to")
        assert str(refused.value) == f"cannot write {place}: {reason}; name another place"


def test_a_report_that_does_not_fit_leaves_the_one_that_was_there(dataset: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    report.write_text("the last good one")
    # No file may grow beyond 1 KiB. Bytecode is off, because Python would leave truncated files for later commands.
    words = f"ulimit -f 1; exec {Path(sys.executable).parent / 'analyze'} summary {dataset} --report {report}"
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(["bash", "-c", words], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "report.json: File too large; free some space" in done.stderr) == (2, True), done.stderr
    assert report.read_text() == "the last good one"
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("report")] == ["report.json"]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["critical-path", "/no/such/trace"], "analyze: no such trace: /no/such/trace"),
        (["critical-path"], "Missing argument 'TRACE'"),
        (["critical-path", "TRACE", "--by", "moon"], "'moon' is not one of"),
        (["critical-path", "TRACE", "--collective", "seventeen"], "COMM:SEQ"),
        (["critical-path", "TRACE", "--collective", "9:9"], "`analyze collectives` lists those that the trace has"),
        (["critical-path", "TRACE", "--by", "rank", "--collective", "0:0"], "only one of"),
        (["critical-path", "TRACE", "--collective", "0:0", "--from", "i:9"], "no sequence of MPI calls five times"),
        # Regression: numbers that no column can hold ended in a traceback and in the exit code of a failed gate.
        (
            ["collectives", "TRACE", "--seq", "99999999999999999999"],
            "must be a whole number from 0 to 9223372036854775807, not 99999999999999999999",
        ),
        (["collectives", "TRACE", "--limit", "-1"], "must be a whole number from 0 to 9223372036854775807, not -1"),
        (["late-ranks", "TRACE", "--least-ms", "-1"], "late-ranks --least-ms must be a number from 0 up, not -1"),
        (["critical-path", "TRACE", "--collective", "0:99999999999999999999"], "COMM:SEQ"),
        (["nonsense", "TRACE"], "No such command 'nonsense'"),
        (["sumary", "TRACE"], "No such command 'sumary'. Did you mean summary?"),
        (["critical-path", "TRACE", "--by", "rnak"], "Did you mean rank?"),
        (["list", "--format", "josn"], "Did you mean json?"),
        (["sql", "TRACE", "drop table hops"], "a dataset is read-only"),
        (["sql", "TRACE", "select nothing from hops"], "the query failed"),
        (["sql", "TRACE", "select 1; select 2"], "2 statements; give exactly one"),
    ],
)
def test_wrong_input_is_a_sentence_and_exit_code_two(dataset: Path, arguments: list[str], problem: str) -> None:
    done = analyze(*(str(dataset) if word == "TRACE" else word for word in arguments))
    assert done.returncode == 2
    assert problem in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_pivot_names_its_values(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Regression: the message was only "The query is a MULTI".
    pivot = "pivot hops on link{} using count(*) group by collective_id"
    for query in (pivot.format(""), f"select * from ({pivot.format('')})"):
        assert exit_code("sql", dataset, query) == 2
        assert "name the values, as in: pivot hops on link in ('shm', 'wan')" in capsys.readouterr().err
    assert exit_code("sql", dataset, pivot.format(" in ('shm', 'wan')"), "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == [{"collective_id": 0, "shm": 2, "wan": 2}]


@pytest.mark.parametrize("command", ["collective-calls", "collective-hops", "collective-steps"])
def test_a_command_about_one_collective_says_which_option_is_missing(
    command: str, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Regression: the message was "There is no such collective", although the command named none.
    assert exit_code(command, dataset) == 2
    stderr = capsys.readouterr().err
    assert "choose it with --collective COMM:SEQ" in stderr
    assert "no such collective" not in stderr


def test_sql_reads_tables_and_views_and_nothing_else(dataset: Path, tmp_path: Path) -> None:
    done = analyze("sql", dataset, "select count(*) as n from waiting", "--format", "json")
    assert json.loads(done.stdout) == [{"n": 4}]
    for query in (
        f"copy (select 1) to '{tmp_path / 'out'}'",
        "select * from read_text('/etc/hostname')",
        "install httpfs",
        # Regression: EXPLAIN ANALYZE of a COPY, and a SELECT that begins with one, made the table unreadable.
        f"with copied as (copy (select 1) to '{dataset / 'hops' / 'part-00001.parquet'}') select 1",
        f"explain analyze with c as (copy (select 1) to '{dataset / 'hops' / 'part-00001.parquet'}') select 1",
        f"explain analyze copy (select 1) to '{dataset / 'hops' / 'part-00001.parquet'}'",
        f"explain (analyze) copy (select 1) to '{dataset / 'hops' / 'part-00001.parquet'}'",
        f"explain /* */ analyze copy (select 1) to '{dataset / 'hops' / 'part-00001.parquet'}'",
    ):
        done = analyze("sql", dataset, query)
        assert done.returncode == 2, query
    assert not (tmp_path / "out").exists()
    assert [part.name for part in (dataset / "hops").iterdir()] == ["part-00000.parquet"]
    assert analyze("sql", dataset, "explain analyze select count(*) from hops").returncode == 0


def test_show_sql_prints_what_ran_and_leaves_stdout_to_the_data(dataset: Path) -> None:
    done = analyze("last-arrivals", dataset, "--at", "0", "--show-sql", "--format", "json")
    assert "-- $at = 0" in done.stderr
    assert "from hops" in done.stderr
    assert json.loads(done.stdout)


def test_the_sql_of_sentences_runs_in_plain_duckdb_with_plain_numbers(dataset: Path) -> None:
    # Hopscope formats the numbers of sentences itself. The SQL that a user copies has a macro instead.
    trace = hopscope.open(dataset)
    statements = trace.statements(trace.answer("summary"))
    with duckdb.connect() as plain:
        for name in table_names():
            plain.from_arrow(trace.table(name)).create(name)
        notes = {row[1]: row[4] for row in plain.execute(statements).fetchall()}
    own_notes = {row["item"]: row["note"] for row in trace.summary().to_pylist()}
    assert notes.keys() == own_notes.keys()
    assert notes["time in collectives"].endswith(" share")
    assert own_notes["time in collectives"].endswith(" %")


@pytest.mark.parametrize("command", [*COMMANDS, "list", "sql", "formulas", "history", "model", "remap"])
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code(command, "--help") == 0
    assert f"analyze {command}" in capsys.readouterr().out.split("Examples:")[1]


@pytest.mark.parametrize("command", [*COMMANDS, "gate", "formulas", "history", "model", "remap"])
def test_help_shows_the_options_before_the_columns(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Regression: the options of critical-path began a hundred lines down."""
    assert exit_code(command, "--help") == 0
    concept, options = capsys.readouterr().out.split("\nOptions:\n")
    assert not re.search(r"^ +(Columns:|--by \S+.*:)", concept, re.MULTILINE)
    assert re.search(r"^  (Columns|--[a-z-]+ \S+( \(default\))?):", options, re.MULTILINE)


def test_list_names_every_command(dataset: Path) -> None:
    names = {row["command"] for row in json.loads(analyze("list", "--format", "json").stdout)}
    assert names == {*COMMANDS, *COMPUTED}


def test_analyze_is_also_a_command_of_hopscope(dataset: Path) -> None:
    words = ("noise", dataset, "--format", "json")
    direct, nested = analyze(*words), hopscope_command("analyze", *words)
    assert direct.stdout == nested.stdout != ""
    assert hopscope_command("--version").stdout.startswith("hopscope, version ")


def test_a_reader_that_goes_away_is_no_error_and_turns_no_gate(tmp_path: Path) -> None:
    # The rows of 2,500 ranks are more than a pipe holds.
    collectives = "collective_id comm seq op comm_size complete\n0 0 0 MPI_Barrier 2 true"
    dataset = draw(tmp_path / "many", ranks="rank\n" + "\n".join(map(str, range(2_500))), collectives=collectives)
    code = "from hopscope.cli.main import analyze_main; analyze_main()"
    arguments = ["last-arrivals", str(dataset), "--format", "csv", "--fail-if", "7.waiting_ns < 1"]
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == "gate '7.waiting_ns < 1' fails: 7.waiting_ns is 0 ns\n"
        assert process.wait(timeout=60) == 1


@pytest.mark.parametrize("form", ["table", "json", "csv"])
def test_no_form_of_an_answer_needs_its_reader(dataset: Path, form: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = analyze("summary", dataset, "--format", form, "--fail-if", "ranks.value < 9", stdout=pipe)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "gate 'ranks.value < 9' fails: ranks.value is 0"


def test_ctrl_c_while_statements_run_is_quiet() -> None:
    # Regression: Ctrl-C was reported as a bug, because DuckDB's module turns a KeyboardInterrupt into a RuntimeError.
    # The statements are short, because DuckDB checks for signals only now and then.
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import click, duckdb, os, threading; from hopscope.cli.main import execute\n"
        "def ask():\n"
        "  threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()\n"
        "  while True: duckdb.execute('select sum(hash(range)) from range(1_000_000)')\n"
        "execute(click.Command('ask', callback=ask), 'ask', [])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    # If the signal comes between two statements, click ends the line that shows ^C.
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "")


def test_what_was_meant_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    # Newer releases of click suggest some names too.
    with pytest.raises(SystemExit):
        execute(hopscope_group, "hopscope", ["analyse"])
    assert capsys.readouterr().err.count("Did you mean") == 1


def test_no_command_waits_for_pandas(dataset: Path) -> None:
    # With its first array, pyarrow imports pandas if it is installed: a fifth of a short command's time.
    code = "from hopscope.cli.start import analyze_main; analyze_main()"
    command = [sys.executable, "-v", "-c", code, "critical-path", str(dataset)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.findall(r"^import '(pyarrow|pandas)'", done.stderr, re.MULTILINE) == ["pyarrow"]


@pytest.mark.parametrize("entry", ["main", "analyze_main"])
def test_ctrl_c_while_modules_are_imported_is_quiet(entry: str) -> None:
    # Regression: Ctrl-C during an import printed a traceback. The audit hook sends the signal when click is imported.
    code = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.addaudithook(lambda event, about: os.kill(os.getpid(), signal.SIGINT)"
        " if event == 'import' and about[0] == 'click' else None)\n"
        f"from hopscope.cli.start import {entry}; {entry}()"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_answer_that_cannot_be_written_turns_no_gate(dataset: Path) -> None:
    # Regression: a full disk ended in a traceback and in exit code 1, which means that a gate failed.
    reason = "cannot write the answer: No space left"
    for form in ("table", "json", "csv"):
        with Path("/dev/full").open("w") as full:
            done = analyze("summary", dataset, "--format", form, stdout=full)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr
    # Python writes the rest at exit, and fails once more.
    code = "from hopscope.cli.main import analyze_main; analyze_main()"
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code, "summary", str(dataset), "--format", "json"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


def test_a_terminal_without_the_characters_gets_others(dataset: Path) -> None:
    terminal = io.BytesIO()
    output = io.TextIOWrapper(terminal, encoding="ascii")
    done = analyze("critical-path", dataset, stdout=output)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    output.flush()
    assert b"?" in terminal.getvalue()


def test_no_permission_and_mistakes_of_ours_are_no_failed_gates(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The test raises PermissionError itself, because permission bits do not stop the superuser."""
    for problem, message in (
        (PermissionError(13, "Permission denied", "/trace/manifest.json"), "analyze: /trace/manifest.json: Permission"),
        (RuntimeError("what?"), "this is a bug in hopscope"),
    ):

        def refuse(*_: object, problem: Exception = problem, **__: object) -> None:
            raise problem

        monkeypatch.setattr(hopscope, "open", refuse)
        assert exit_code("summary", "/trace") == 2
        assert message in capsys.readouterr().err


def test_remap_without_hops_is_wrong_input(tmp_path: Path) -> None:
    done = analyze("remap", draw(tmp_path / "d", ranks="rank\n0\n1"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_the_command_that_remap_prints_can_be_pasted(
    sample: Callable[[str], hopscope.Trace], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Regression: file names were not quoted, so a space made two words of a name.
    trace, tree = tmp_path / "a trace", tmp_path / "a tree.json"
    shutil.copytree(sample("demo").path, trace)
    assert exit_code("remap", trace, "-o", tree) == 0
    (printed,) = re.findall("with `(.*) -- ...`", capsys.readouterr().err)
    command = ["hopscope", "run", "--tree", str(tree), "--topology", str(trace / "topology.json")]
    assert shlex.split(printed) == command
    assert printed.startswith("hopscope run --tree '")


def test_the_command_that_remap_prints_makes_the_network_of_the_run_again(
    sample: Callable[[str], hopscope.Trace], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Regression: when the user named the trace's dataset or archive, the command lacked the hosts.
    trace = tmp_path / "trace"
    shutil.copytree(sample("demo").path, trace)
    topology = json.loads((trace / "topology.json").read_text())
    topology["network"] = topology.pop("emulate")
    (trace / "topology.json").write_text(json.dumps(topology))
    facts = json.loads((trace / "run.json").read_text())
    (trace / "run.json").write_text(json.dumps(facts | {"topology_file": json.dumps(topology)}))
    for place in (trace, trace / "dataset", trace / "traces.otf2"):
        assert exit_code("remap", place, "-o", tmp_path / "tree.json") == 0
        (printed,) = re.findall("with `(.*) -- ...`", capsys.readouterr().err)
        assert shlex.split(printed)[4:] == ["--net", str(trace / "topology.json")]


def test_the_same_numbers_come_from_python(dataset: Path) -> None:
    trace = hopscope.open(dataset)
    from_cli = json.loads(analyze("collectives", dataset, "--format", "json").stdout)
    assert trace.collectives().to_pylist() == from_cli
    assert trace.run("collectives").to_pylist() == from_cli


@pytest.mark.parametrize("words", [("--help",), ("run", "--help")])
def test_help_loads_none_of_the_libraries_that_answers_need(words: tuple[str, ...]) -> None:
    """Regression: `hopscope --help` took 2.5 s, because it imported scipy."""
    program = (
        "import atexit, sys\n"
        "atexit.register(lambda: print(sorted({'pyarrow', 'duckdb', 'scipy'} & {*sys.modules}), file=sys.stderr))\n"
        "from hopscope.cli.start import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage:")
    assert done.stderr == "[]\n"
