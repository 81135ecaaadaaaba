"""Keeps slow answers about a long run beside its dataset, in `DATASET.answers/`, so that each is computed once.

Every process looks here first, `KeptAnswers.recall`: a command, and the dashboard's server. What takes much memory the
server computes in a spawned process, and another one draws the pages ahead of the user while the processor is idle
(`worker`); what they find out is here then. A page that takes long all the same is computed by a thread of the server,
and the browser shows its progress meanwhile (`computations` and `pages/working` of the dashboard).

An answer is an Arrow file, the rows of a view that several questions read a Parquet file, and nothing is unpickled: the
folder may come from a stranger. A file is found by all that its answer depends on: the dataset's hash, the text of the
SQL with everything under it, the parameters, and what computed it. So none becomes wrong, and the folder may be deleted
at any time. Answers from a dataset that was replaced go when the first new one is kept.
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
_VERDICT_LIMIT = 32
"""Verdicts in memory, each of tens to thousands of rows, if answers are not kept beside the dataset."""

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
        self.folder = self._root / store.identity[:32]
        """The answers' folder."""
        self.is_of_long_run = store.large_rows >= LEAST_ROWS
        """True if the dataset is so large that questions take much time and memory."""
        self.is_worthwhile = os.environ.get(KEEP) != "0" and self.is_of_long_run
        """True if answers from this dataset are kept at all."""
        self._verdicts: dict[object, pa.Table] = {}

    def recall(
        self, text: str, parameters: Mapping[str, object], compute: Callable[[], pa.Table], *, is_verdict: bool = False
    ) -> pa.Table:
        """Find the answer to this text with these parameters, or compute and keep it. A verdict is so short that it
        stays in memory where the dataset keeps nothing."""
        if not self.is_worthwhile:
            return self._recall_verdict((text, *sorted(parameters.items())), compute) if is_verdict else compute()
        place = self._place(text, parameters, _ANSWER)
        with suppress(OSError, pa.ArrowException), pa.OSFile(str(place), "rb") as file:
            answer = pa.ipc.open_file(file).read_all()
            _note_use(place)
            return answer
        begin = time.perf_counter()
        answer = compute()
        if time.perf_counter() - begin >= LEAST_SECONDS and answer.nbytes <= _LARGEST_ANSWER:
            with suppress(OSError):  # of a place that takes no file
                self._write(place, partial(_write_arrow, answer))
        # The rows behind it took some hundred megabytes, which a server would hold for ever.
        pa.default_memory_pool().release_unused()
        return answer

    def rows_of(self, text: str, write: Callable[[Path], None]) -> Path | None:
        """The file that has the rows of the view that this text makes; `write` puts them into a new one. None if there
        can be none."""
        place = self._place(text, {}, _ROWS)
        if place.exists():
            _note_use(place)
        else:
            with suppress(OSError):
                self._write(place, write)
        return place if place.exists() else None

    def _recall_verdict(self, key: object, compute: Callable[[], pa.Table]) -> pa.Table:
        if (verdict := self._verdicts.get(key)) is None:
            verdict = compute()
            while len(self._verdicts) >= _VERDICT_LIMIT:
                self._verdicts.pop(next(iter(self._verdicts)), None)
            self._verdicts[key] = verdict
        return verdict

    def _place(self, text: str, parameters: Mapping[str, object], ending: str) -> Path:
        question = "\n".join([*_producers(), repr(sorted(parameters.items())), text])
        return self.folder / (hashlib.sha256(question.encode()).hexdigest() + ending)

    def _write(self, place: Path, write: Callable[[Path], None]) -> None:
        """Keep what `write` puts into the file that it is given. What it raises leaves nothing behind."""
        self._begin()
        # A temporary file of Python's own would be for this user only, whoever else may read the dataset.
        unfinished = self.folder / f"{secrets.token_hex(8)}{_UNFINISHED}"
        try:
            write(unfinished)
            unfinished.replace(place)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        self._bound()

    def _begin(self) -> None:
        if self.folder.is_dir():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for folder in self._root.iterdir():
            if folder != self.folder and len(folder.name) == len(self.folder.name):
                shutil.rmtree(folder, ignore_errors=True)

    def _bound(self) -> None:
        """Let go of what was not used for longest, where there is too much."""
        files = sorted((file.stat().st_mtime, file.stat().st_size, file) for file in self.folder.iterdir())
        answers = [(size, file) for _, size, file in files if file.suffix in (_ANSWER, _ROWS)]
        too_much = sum(size for size, _ in answers) - _LARGEST_FOLDER
        for size, file in answers:
            if too_much > 0:
                file.unlink(missing_ok=True)
                too_much -= size
        for modified, _, file in files:
            if file.suffix == _UNFINISHED and modified < time.time() - _ABANDONED_S:
                file.unlink(missing_ok=True)


def forget(place: Path) -> None:
    """Remove what is kept there."""
    with suppress(OSError):  # another user's
        place.unlink()


def _note_use(place: Path) -> None:
    """Have what is kept there stay longest."""
    with suppress(OSError):  # another user's
        os.utime(place)


def _write_arrow(answer: pa.Table, file: Path) -> None:
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
