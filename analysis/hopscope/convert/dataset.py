"""A dataset on disk: made once, made anew when its archive changes, never seen half-made.

Layout: `<dataset>/<table>/part-00000.parquet`, part-00001 and so on for every table of schemas/tables, in the order of
the table's rows, so that a range of collectives or of time is in few of them and the others are passed over by their
statistics; and manifest.json, written last. The whole is made in a directory beside it and renamed into place under a
lock, so a reader sees the old one or the new one. A conversion that is stopped leaves nothing and starts from the
beginning.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from hopscope import _convert, _paths
from hopscope.convert.contract import arrow_schema
from hopscope.convert.conversion import Progress, convert
from hopscope.convert.parts import Parts
from hopscope.convert.run_facts import hopscope_version
from hopscope.convert.source import MANIFEST, Archive, find
from hopscope.errors import InputError
from hopscope.launch import job
from hopscope.store import SCHEMA_VERSION, table_names


def ensure_dataset(path: Path, *, progress: Progress | None = None) -> Path:
    """The up-to-date dataset of a trace directory, archive or dataset; converts where there is none.

    progress(stage, done, total) is called while it works. Raises InputError if the path is nothing of the kind, or the
    archive cannot be read.
    """
    found = find(Path(path))
    if not isinstance(found, Archive):
        return found
    target = dataset_directory(found)
    before = fingerprint(found)
    if _is_current(target, before):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with _only_one(target.parent):
        if not _is_current(target, before):  # another process may have made it while this one waited
            _make(target, found, before, progress)
    return target


def dataset_directory(archive: Archive) -> Path:
    """Where an archive's dataset belongs: beside it, or in the user's cache where there is no permission to write."""
    alone = archive.anchor.name == job.ANCHOR or len(list(archive.directory.glob("*.otf2"))) == 1
    name = "dataset" if alone else f"{archive.anchor.stem}.dataset"
    beside = archive.directory / name
    if os.access(archive.directory, os.W_OK):
        return beside
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hopscope"
    place = hashlib.sha256(str(archive.anchor.resolve()).encode()).hexdigest()[:12]
    return cache / f"{archive.name}-{place}" / "dataset"


def fingerprint(archive: Archive) -> dict[str, Any]:
    """What changes when the archive does, or the program that converts it."""

    def stamp(file: Path) -> list[int] | None:
        try:
            about = file.stat()
        except OSError:
            return None
        return [about.st_size, about.st_mtime_ns]

    events = sorted(archive.events.iterdir()) if archive.events.is_dir() else []
    return {
        "anchor": archive.anchor.name,
        "files": {
            str(file.relative_to(archive.directory)): stamp(file)
            for file in [archive.anchor, archive.definitions, archive.run_facts, *events]
        },
        "hopscope_version": hopscope_version(),
        "converter": _converter(),
    }


@cache
def _converter() -> str:
    """What tells one build of the compiled parts, or of the tables' schemas, from another: they decide what a dataset
    says."""
    built = hashlib.sha256()
    for table in table_names():
        built.update(arrow_schema(table).to_string().encode())
    for module in (_convert, _paths):
        built.update(Path(str(module.__file__)).read_bytes())
    return built.hexdigest()[:16]


def _is_current(target: Path, source: dict[str, Any]) -> bool:
    try:
        manifest = json.loads((target / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    if not isinstance(manifest, dict) or (manifest.get("schema_version"), manifest.get("source")) != (
        SCHEMA_VERSION,
        source,
    ):
        return False
    parts = manifest.get("parts")
    return isinstance(parts, dict) and all(
        (target / name / f"part-{part:05}.parquet").is_file()
        for name in table_names()
        for part in range(max(1, parts.get(name, 1)))
    )


@contextmanager
def _only_one(directory: Path) -> Generator[None]:
    """Holds a lock on the directory itself, so that no file is left behind."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as problem:
            # Some network file systems have no locks. Renaming into place still keeps readers safe.
            if problem.errno not in (38, 95):  # ENOSYS, EOPNOTSUPP
                raise
        yield
    finally:
        os.close(handle)


def _make(target: Path, archive: Archive, source: dict[str, Any], progress: Progress | None) -> None:
    for leftover in target.parent.glob(f"{target.name}.tmp-*"):
        shutil.rmtree(leftover)
    making = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        making.mkdir()
        written = _write(making, archive, progress)
        manifest = {"schema_version": SCHEMA_VERSION, **written, "source": source}
        (making / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
        _put_in_place(making, target)
    except OSError as problem:
        raise InputError(
            f"the dataset cannot be written to {target}: {problem.strerror or problem}; "
            "make room there, or set XDG_CACHE_HOME and make the trace directory read-only"
        ) from None
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _write(making: Path, archive: Archive, progress: Progress | None) -> dict[str, dict[str, int]]:
    with Parts(making) as parts:
        for name, rows in convert(archive, making, progress):
            parts.add(name, rows)
            del rows
        if progress:
            progress("writing", 0, 1)
        written = parts.close()
    if progress:
        progress("writing", 1, 1)
    return written


def _put_in_place(making: Path, target: Path) -> None:
    if target.exists():
        outdated = target.with_name(f"{target.name}.tmp-{os.getpid()}-outdated")
        target.rename(outdated)
        making.rename(target)
        shutil.rmtree(outdated)
    else:
        making.rename(target)
