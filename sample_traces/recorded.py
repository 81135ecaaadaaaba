"""Records the answers of every analysis on a sample trace, and the contents of its dataset.

A short answer becomes a CSV file. For a longer one, and for every table of the dataset, `digests.csv` has a digest of
each column, so that a difference names its column; `make.py --whole DIR` writes all of it in full, to be compared with
`diff`. Sentences for people are left out, because their words may change.
"""

import csv
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hopscope
import pyarrow as pa
from hopscope.dataset.store import table_names
from hopscope.errors import InputError
from hopscope.query import catalog
from hopscope.render.machine import as_csv

SENTENCES = {"sentence", "evidence", "action", "note", "example"}
MOST_ROWS = 40
DIGESTS = "digests.csv"
TABLES = "table "
EACH_COLLECTIVE = "each"
"""In a question, this word in place of a collective asks about the first collective of every function on every
communicator."""

Question = tuple[str, ...]


def questions(compared: bool) -> Iterator[Question]:
    """Every analysis at every grain: those that compare two traces if `compared`, else those of one trace."""
    for command in catalog.load().commands.values():
        for analysis in command.grains:
            if (analysis.base is not None) != compared:
                continue
            if any(p.type == "COLLECTIVE" for p in analysis.parameters):
                yield command.name, "--collective", EACH_COLLECTIVE
            elif analysis.grain is None or analysis.grain.default:
                yield (command.name,)
            else:
                yield command.name, f"--{analysis.grain.option}", analysis.grain.value or "0"


def name_of(question: Question) -> str:
    """The name of the file with a question's answer, without its ending."""
    return "_".join(question).replace("--", "")


def question_of(name: str) -> Question:
    """The question whose answer has this name."""
    words = name.split("_")
    return (words[0], f"--{words[1]}", words[2]) if len(words) == 3 else tuple(words)


def ask(trace: hopscope.Trace, question: Question, base: hopscope.Trace | None = None) -> pa.Table:
    """The answer to a question, without its sentences. Raises InputError if the trace lacks the data."""
    if question[-1] == EACH_COLLECTIVE:
        firsts = trace.sql("select min_by(comm || ':' || seq, collective_id) as it from collectives group by op, comm")
        names = sorted(firsts["it"].to_pylist(), key=lambda name: [int(word) for word in name.split(":")])
        answers = [(name, ask(trace, (*question[:-1], name))) for name in names]
        labelled = [
            table.add_column(0, "of_collective", pa.array([name] * table.num_rows, pa.string()))
            for name, table in answers
        ]
        return pa.concat_tables(labelled, promote_options="permissive")
    options: dict[str, Any] = {}
    if len(question) == 3:
        options[question[1][2:]] = int(question[2]) if question[2].isdigit() else question[2]
    if base is not None:
        options["base"] = base
    table = trace.run(question[0], **options)
    return table.drop_columns([name for name in table.column_names if name in SENTENCES])


def answers_and_tables(trace: hopscope.Trace, base: hopscope.Trace | None = None) -> Iterator[tuple[str, pa.Table]]:
    """Every answer and every table of the dataset with its name. With a base, only the answers that compare the two."""
    for question in questions(base is not None):
        try:
            yield name_of(question), ask(trace, question, base)
        except InputError:  # the trace lacks the data
            continue
    for table in table_names() if base is None else ():
        yield TABLES + table, trace.table(table)


def look_up(trace: hopscope.Trace, name: str, base: hopscope.Trace | None = None) -> pa.Table:
    """Recompute the answer or table that was recorded under this name."""
    if name.startswith(TABLES):
        return trace.table(name.removeprefix(TABLES))
    return ask(trace, question_of(name), base)


def digests(name: str, table: pa.Table) -> list[list[str]]:
    """A line for each column: name, column, number of rows and digest. Numbers with a fraction count to six digits,
    because processors round differently."""

    def word(value: Any) -> str:
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    def digest(column: str) -> str:
        return hashlib.sha256("\n".join(map(word, table[column].to_pylist())).encode()).hexdigest()[:12]

    return [[name, column, str(table.num_rows), digest(column)] for column in table.column_names]


def record(folder: Path, trace: hopscope.Trace, base: hopscope.Trace | None = None, whole: bool = False) -> None:
    """Write all answers and tables into the folder, in full if `whole`."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [["name", "column", "rows", "digest"]]
    for name, table in answers_and_tables(trace, base):
        if whole or (table.num_rows <= MOST_ROWS and not name.startswith(TABLES)):
            (folder / f"{name}.csv").write_text(as_csv(table))
        else:
            lines += digests(name, table)
    if len(lines) > 1:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(lines)
        (folder / DIGESTS).write_text(text.getvalue())
