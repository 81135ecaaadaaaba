"""Keeps slow answers about a long run beside its dataset, in `DATASET.answers/`, so that each is computed once.

Every process, a command or the dashboard's server, looks here first (`KeptAnswers.recall`). The server computes
memory-hungry answers in a spawned process. Another spawned process draws pages ahead of the user while the processor is
idle (`worker`). Both keep their answers here. If a page takes long all the same, a thread of the server computes it,
and the browser shows its progress (`computations` and `pages/working` of the dashboard).

An answer is an Arrow file. The rows of a view that several questions read are a Parquet file. Nothing is unpickled,
because the folder may come from a stranger. The name of a file is a hash of all that its answer depends on: the
dataset's hash, the text of the SQL with all views under it, the parameters, and the code that computed it. So no kept
answer becomes wrong, and the folder may be deleted at any time. If a dataset is replaced, the old answers are deleted
when the first new one is kept.
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
"""Environment variable: with 0, no answers are kept and none are looked up."""

LEAST_ROWS = 1_000_000
"""Datasets with fewer rows in their large tables keep nothing, because their questions are answered in a moment."""

LEAST_SECONDS = 0.05
"""An answer that took less time is not kept, because looking it up would gain nothing."""

_LARGEST_ANSWER = 32 << 20
_LARGEST_FOLDER = 512 << 20
_VERDICT_LIMIT = 32
"""The largest number of verdicts in memory, each of tens to thousands of rows, if answers are not kept beside the
dataset."""

_ANSWER = ".arrow"
_ROWS = ".parquet"
_UNFINISHED = ".tmp"
_ABANDONED_S = 24 * 3600
"""A process that leaves a file unfinished for this long was killed."""


class KeptAnswers:
    """The answers that are kept about one dataset."""

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
        """Find the kept answer to this SQL text with these parameters, or compute and keep it. If answers from this
        dataset are not kept, a verdict (a table that a Python module made) still stays in memory, because it is
        short."""
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
            with suppress(OSError):  # for example a folder without permission to write
                self._write(place, partial(_write_arrow, answer))
        # The rows behind the answer took some hundred megabytes, which a server would otherwise hold for ever.
        pa.default_memory_pool().release_unused()
        return answer

    def rows_of(self, text: str, write: Callable[[Path], None]) -> Path | None:
        """The file with the rows of the view that this SQL text makes. If there is none yet, `write` writes it. None if
        it cannot be written."""
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
        """Keep the file that `write` writes to the path that it is given. If it raises, no file is left behind."""
        self._begin()
        # Not one of Python's temporary files: only this user could read it, but others may read the dataset.
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
        """Delete the answers that were unused for longest if all together are too large, and files that a killed
        process left unfinished."""
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
    """Remove a kept file."""
    with suppress(OSError):  # the file may belong to another user
        place.unlink()


def _note_use(place: Path) -> None:
    """Mark a kept file as just used, so that it is deleted last."""
    with suppress(OSError):  # the file may belong to another user
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
