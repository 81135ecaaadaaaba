"""Answers kept beside a dataset, `DATASET.answers/`: what a question about a long run found is there at once when it is
asked again, by whatever command or page. Of views that several questions rest on, the rows are kept too.

A kept answer is found by all that it depends on: the dataset's hash, the text of the SQL with everything under it, the
parameters, and what computed it. Nothing else makes it invalid, and nothing needs to remove it: the folder
may be deleted at any time, and answers from a dataset that was replaced go when the first new one is kept.
"""

import hashlib
import os
import secrets
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from hopscope.dataset.store import Store
from hopscope.native import _paths

KEEP = "HOPSCOPE_KEEP_ANSWERS"
"""Environment variable: 0 keeps nothing and looks nothing up."""

LEAST_ROWS = 1_000_000
"""Datasets with fewer rows in their large tables keep nothing: their questions are answered in a moment."""

LEAST_SECONDS = 0.05
"""An answer that took less is computed again: looking it up would gain nothing."""

_LARGEST_ANSWER = 32 << 20
_LARGEST_FOLDER = 512 << 20
_ANSWER = ".arrow"
_ROWS = ".parquet"
_UNFINISHED = ".tmp"
_ABANDONED_S = 24 * 3600
"""Nobody writes one file for this long: its process was killed."""


class KeptAnswers:
    """The answers kept from one dataset."""

    def __init__(self, store: Store) -> None:
        dataset = store.path.resolve()
        self._root = dataset.with_name(f"{dataset.name}.answers")
        self._folder = self._root / store.identity[:32]
        self.is_of_long_run = store.large_rows >= LEAST_ROWS
        """True if the dataset is so large that questions take much time and memory."""
        self.is_worthwhile = os.environ.get(KEEP) != "0" and self.is_of_long_run
        """True if answers from this dataset are kept at all."""

    @property
    def folder(self) -> Path:
        """The answers' folder."""
        return self._folder

    def place(self, sql: str, parameters: Mapping[str, object]) -> Path:
        """The file for the answer to this text with these parameters."""
        question = "\n".join([*_producers(), repr(sorted(parameters.items())), sql])
        return self._folder / (hashlib.sha256(question.encode()).hexdigest() + _ANSWER)

    def rows_of(self, sql: str) -> Path:
        """The file for the rows of the view that this text makes."""
        return self.place(sql, {}).with_suffix(_ROWS)

    def find(self, place: Path) -> pa.Table | None:
        """The table kept there; None if there is none, or it cannot be read."""
        try:
            with pa.OSFile(str(place), "rb") as file:
                answer = pa.ipc.open_file(file).read_all()
        except (OSError, pa.ArrowException):
            return None
        self.used(place)
        return answer

    def used(self, place: Path) -> None:
        """Note that what is kept there is in use: what is used stays longest."""
        with suppress(OSError):  # another user's
            os.utime(place)

    def forget(self, place: Path) -> None:
        """Remove what is kept there."""
        with suppress(OSError):
            place.unlink()

    def keep(self, place: Path, answer: pa.Table, seconds: float) -> None:
        """Keep an answer that took so long, where that is worth it. A place that takes no file keeps nothing."""
        if seconds < LEAST_SECONDS or answer.nbytes > _LARGEST_ANSWER:
            return
        with suppress(OSError):
            self.write(place, partial(_write, answer))

    def write(self, place: Path, write: Callable[[Path], None]) -> None:
        """Keep what `write` puts into the file that it is given. What it raises leaves nothing behind."""
        self._begin()
        # A temporary file of Python's own would be for this user only, whoever else may read the dataset.
        unfinished = self._folder / f"{secrets.token_hex(8)}{_UNFINISHED}"
        try:
            write(unfinished)
            unfinished.replace(place)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        self._bound()

    def _begin(self) -> None:
        if self._folder.is_dir():
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        for folder in self._root.iterdir():
            if folder != self._folder and len(folder.name) == len(self._folder.name):
                shutil.rmtree(folder, ignore_errors=True)

    def _bound(self) -> None:
        """Let go of what was not used for longest, where there is too much."""
        files = [(file.stat(), file) for file in self._folder.iterdir()]
        answers = [(status, file) for status, file in files if file.suffix in (_ANSWER, _ROWS)]
        for status, file in files:
            if file.suffix == _UNFINISHED and status.st_mtime < time.time() - _ABANDONED_S:
                file.unlink(missing_ok=True)
        too_much = sum(status.st_size for status, _ in answers) - _LARGEST_FOLDER
        for status, file in sorted(answers, key=lambda entry: entry[0].st_mtime_ns):
            if too_much <= 0:
                break
            file.unlink(missing_ok=True)
            too_much -= status.st_size


def _write(answer: pa.Table, file: Path) -> None:
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, answer.schema) as writer:
        writer.write_table(answer)


@cache
def _producers() -> tuple[str, ...]:
    """The producers of answers besides the SQL: DuckDB, and all of our own code that computes or writes numbers."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parents[1].rglob("*.py")):
        digest.update(file.read_bytes())
    digest.update(Path(_paths.__file__ or "").read_bytes())
    return (version("duckdb"), digest.hexdigest())
