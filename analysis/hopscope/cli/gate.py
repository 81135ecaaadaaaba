"""`analyze gate`: evaluates all gates of a project's file, for CI. The results are a table, JUnit XML, Markdown, JSON
and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopscope.cli.command import EXIT_CODES, choosing_options, columns_text, format_option, help_text, to_stdout
from hopscope.cli.progress import dataset_option, opening
from hopscope.cli.saying import say
from hopscope.errors import InputError, suggestion
from hopscope.files import write_text
from hopscope.gate import config, worst
from hopscope.gate.config import GateLine
from hopscope.gate.history.entry import commit_id, entry_of
from hopscope.gate.history.folder import add
from hopscope.gate.junit import as_junit
from hopscope.gate.markdown import as_markdown
from hopscope.gate.report import write_report
from hopscope.gate.suite import GateResult, Question, evaluate_all
from hopscope.query import catalog
from hopscope.query.catalog import Command
from hopscope.render.machine import as_csv, as_json
from hopscope.render.terminal import print_answer
from hopscope.selection import split

if TYPE_CHECKING:
    from hopscope.query.answer import Answer
    from hopscope.trace import Trace

GATE = catalog.load().computed["gate"]


@click.command("gate", short_help=GATE.default.help)
@click.argument("trace", type=click.Path())
@click.option(
    "--baseline",
    "baselines",
    type=click.Path(),
    multiple=True,
    metavar="BASE",
    help="The run to compare with: a trace, archive or dataset. Repeat it to give `compare` more runs of the baseline.",
)
@click.option(
    "--also",
    type=click.Path(),
    multiple=True,
    metavar="TRACE",
    help="Another run of the same program as TRACE, for `compare`. Repeatable.",
)
@click.option(
    "--skip-baseline", is_flag=True, help="Without --baseline, skip the gates that need one instead of failing."
)
@click.option("--config", "file", type=click.Path(dir_okay=False, path_type=Path), help="The file with the gates.")
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write JUnit XML to this file.")
@click.option(
    "--markdown", type=click.Path(dir_okay=False, path_type=Path), help="Write a summary for a pull-request comment."
)
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), help="Write everything as JSON to this file."
)
@click.option(
    "--history",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Add this commit's figures to a directory, for `analyze history`.",
)
@click.option(
    "--commit", metavar="ID", help="The commit of --history. Default: GITHUB_SHA, CI_COMMIT_SHA or git's HEAD."
)  # fmt: skip
def command(
    *,
    trace: str,
    dataset: Path | None,
    baselines: tuple[str, ...],
    also: tuple[str, ...],
    skip_baseline: bool,
    file: Path | None,
    junit: Path | None,
    markdown: Path | None,
    report: Path | None,
    history: Path | None,
    commit: str | None,
    form: str,
) -> int:
    """Runs the command. Its help is made from sql/computed/gate.sql."""
    file = file or config.find(Path.cwd())
    commit_name = commit_id(commit) if history is not None else ""
    lines = config.read(file)
    from hopscope.selection.comparability import about_runs

    opened = opening(trace, dataset)
    bases, repeats = [opening(path) for path in baselines], [opening(path) for path in also]
    base = bases[0] if bases else None
    questions = [_question(file, line, bases, repeats) for line in lines]
    takes_several = any(
        parameter.name == "also" for question in questions for parameter in question.analysis.parameters
    )
    notes = about_runs([opened, *repeats], bases, may_repeat=takes_several) if bases else ()
    gate_results = evaluate_all(questions, opened, base, skip_baseline=skip_baseline)
    answer = _answer(gate_results, file, base, notes)
    with to_stdout():
        if form == "table":
            print_answer(sys.stdout, answer.table, answer.analysis)
        else:
            sys.stdout.write(as_json(answer.table) if form == "json" else as_csv(answer.table))
    outcomes = [gate_result.outcome for gate_result in gate_results if gate_result.outcome is not None]
    for note in notes:
        say(f"note: {note}")
    for outcome in outcomes:
        if outcome.outcome != "passed":
            say(outcome.sentence)
    name = opened.path.resolve().name
    if junit is not None:
        write_text(junit, as_junit(name, gate_results))
    if markdown is not None:
        write_text(
            markdown,
            as_markdown(
                name,
                None if base is None else base.path.resolve().name,
                gate_results,
                [*opened.caveats(), *notes],
                opened.answer("trust").rows,
                diagnosis=opened.answer("diagnose").rows,
                comparison=_comparison(opened, repeats, bases),
            ),
        )
    if report is not None:
        write_report(report, opened, answer, outcomes)
    if history is not None:
        say(f"wrote {add(history, entry_of([opened, *repeats], commit_name, worst(outcomes)))}")
    return EXIT_CODES[worst(outcomes)]


command.params += [dataset_option(), format_option()]
command.help = help_text(GATE)
command.epilog = columns_text(GATE)


def _comparison(trace: Trace, also: Sequence[Trace], bases: Sequence[Trace]) -> str | None:
    """The first sentence of `compare`; None without a baseline, or if neither run has a critical path."""
    if not bases:
        return None
    rows = trace.answer("compare", also=also, base=bases[0], base_also=bases[1:]).rows
    return rows[0]["sentence"] if rows else None


def _question(file: Path, line: GateLine, bases: Sequence[Trace], also: Sequence[Trace]) -> Question[Trace]:
    """The question that a line of the file asks. Raises InputError if it names an unknown analysis or option."""
    command = _command(file, line)
    try:
        with click.Command(command.name, params=choosing_options(command)).make_context(
            command.name, [*line.words]
        ) as context:
            options: dict[str, Any] = {name: value for name, value in context.params.items() if value not in (None, ())}
        analysis, parameters = command.choose(split(options, {p.name for p in command.parameters})[1])
    except (click.UsageError, InputError, ValueError) as error:
        message = error.format_message() if isinstance(error, click.UsageError) else str(error)
        raise InputError(f"{file}: {line.question!r}: {message}") from None
    if command.name == "remap":
        from hopscope.cli.remap import remap_answer

        return Question(line, analysis, lambda trace: remap_answer(trace, dict(options)))
    if analysis.base is None:
        return Question(line, analysis, lambda trace: trace.answer(command.name, **options))
    if not bases:
        return Question(line, analysis, None)
    runs: dict[str, Any] = {"base_also": bases[1:], "also": also} if "also" in parameters else {}
    return Question(
        line, analysis, lambda trace: trace.answer(command.name, **options, **runs, **{str(analysis.base): bases[0]})
    )


def _command(file: Path, line: GateLine) -> Command:
    if line.command == "remap":
        return catalog.load().computed["remap"]
    if line.command in catalog.FORMERLY:
        words = catalog.FORMERLY[line.command]
        raise InputError(f"{file}: {line.command!r} is now {words!r}; see `analyze {words.split()[0]} --help`")
    try:
        return catalog.load().command(line.command)
    except KeyError:
        names = [*catalog.load().commands, "remap"]
        raise InputError(
            f"{file}: unknown analysis {line.command!r}; choose one of {', '.join(names)}"
            f"{suggestion(line.command, names)}"
        ) from None


def _answer(gate_results: Sequence[GateResult], file: Path, base: Trace | None, notes: tuple[str, ...]) -> Answer:
    import pyarrow as pa

    from hopscope.query.answer import Answer

    analysis = GATE.default
    rows = [
        {
            "number": number,
            "outcome": gate_result.outcome.outcome if gate_result.outcome else "skipped",
            "kind": gate_result.kind,
            "analysis": gate_result.question,
            "gate": gate_result.expression,
            "sentence": gate_result.outcome.sentence
            if gate_result.outcome
            else "skipped: this gate needs a baseline, and none was given",
        }
        for number, gate_result in enumerate(gate_results, start=1)
    ]
    schema = pa.schema([(c.name, pa.int32() if c.type == "INTEGER" else pa.string()) for c in analysis.columns])
    parameters = {"config": file.name, "baseline": None if base is None else base.path.resolve().name}
    table = pa.Table.from_pylist(rows, schema=schema)
    return Answer(table, GATE, analysis, {**parameters}, notes)
