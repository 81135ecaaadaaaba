"""Makes a dataset on disk: once, and again when its archive has changed. No reader ever sees it half-made.

Layout: `<dataset>/<table>/part-00000.parquet`, part-00001 and so on for every table of schemas/tables, and
manifest.json, written last. The parts are in the order of the table's rows. So a range of collectives or of time is in
few parts, and queries skip the others by their statistics. Everything is made in a directory beside the dataset, which
is renamed into place under a lock, so a reader sees the old dataset or the new one. A stopped conversion leaves
nothing, and the next one starts from the beginning. Files that no conversion made are never replaced or removed
(`place`).
"""

import fcntl
import hashlib
import os
import shutil
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope import algorithms, mpi_libraries, native
from hopscope.dataset import manifest
from hopscope.dataset.convert import roles
from hopscope.dataset.convert.contract import arrow_schema
from hopscope.dataset.convert.conversion import Progress, convert
from hopscope.dataset.convert.parts import Parts
from hopscope.dataset.convert.place import (
    ANOTHER_PLACE,
    check_replaceable,
    clear_leftovers,
    dataset_directory,
    make_unfinished,
    put_in_place,
)
from hopscope.dataset.convert.run_facts import hopscope_version
from hopscope.dataset.convert.source import Archive, find
from hopscope.dataset.memory import memory_for
from hopscope.dataset.store import table_names
from hopscope.errors import InputError
from hopscope.files import room
from hopscope.native import _convert, _paths, _plan


def ensure_dataset(path: Path, *, dataset: Path | None = None, progress: Progress | None = None) -> Path:
    """The up-to-date dataset of a trace directory, archive or dataset. Converts the archive if there is no such
    dataset.

    dataset: the directory for an archive's dataset; by default `dataset` beside the archive. progress(stage, done,
    total) is called during the work. Raises InputError if the path is none of these, if the archive cannot be read, or
    if files that no conversion made are in the dataset's place.
    """
    origin = find(Path(path))
    if not isinstance(origin, Archive):
        if dataset is not None and not (dataset.exists() and dataset.samefile(origin)):
            raise InputError(f"{path} is already a dataset; use --dataset only with a trace or an archive")
        return origin
    target = dataset_directory(origin) if dataset is None else dataset.absolute()
    origin_stamp = fingerprint(origin)
    if _is_current(target, origin_stamp):
        return target
    check_replaceable(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _only_one(target.parent):
            if not _is_current(target, origin_stamp):  # another process may have made it while this one waited
                with memory_for("the conversion"):
                    _make(target, origin, origin_stamp, progress)
    except OSError as problem:
        raise InputError(
            f"cannot write the dataset to {target}: {problem.strerror or problem}; {room(problem)}{ANOTHER_PLACE}"
        ) from None
    return target


def replace_tables(target: Path, names: Sequence[str], pieces: Iterable[tuple[str, pa.Table]]) -> None:
    """Replaces whole tables of a dataset, which come in pieces, each in the order of its rows. A table without a piece
    becomes empty. A reader sees the old dataset or the new one. Raises InputError if it cannot be written."""
    try:
        with _only_one(target.parent):
            current = manifest.read(target)
            making = make_unfinished(target)
            try:
                with Parts(making, names) as parts:
                    for name, rows in pieces:
                        parts.add(name, rows)
                    written = parts.close()
                for name, entry in current.files():
                    if name not in names:
                        (making / name).mkdir(exist_ok=True)
                        _copy(target / name / entry["file"], making / name / entry["file"])
                manifest.write(making, {**current.tables, **written}, current.source)
                put_in_place(making, target)
            finally:
                shutil.rmtree(making, ignore_errors=True)
    except OSError as problem:
        raise InputError(
            f"cannot write the dataset {target}: {problem.strerror or problem}; {room(problem)}{ANOTHER_PLACE}"
        ) from None


def _copy(part: Path, copy: Path) -> None:
    """Gives a file a second name, or copies it where the file system has no links."""
    try:
        copy.hardlink_to(part)
    except OSError:
        shutil.copy2(part, copy)


def fingerprint(archive: Archive) -> dict[str, Any]:
    """A value that changes if the archive or the program that converts it changes."""

    def stamp(file: Path) -> list[int] | None:
        try:
            status = file.stat()
        except OSError:
            return None
        return [status.st_size, status.st_mtime_ns]

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
    """A hash of all that determines a dataset's contents: the compiled parts, the tables' schemas and the
    recogniser."""
    built = hashlib.sha256()
    for table in table_names():
        built.update(arrow_schema(table).to_string().encode())
    for module in (_convert, _paths, _plan):
        built.update(Path(str(module.__file__)).read_bytes())
    recogniser = (algorithms, mpi_libraries, native)
    of_packages = [file for package in recogniser for file in sorted(Path(str(package.__file__)).parent.rglob("*.py"))]
    for source in (Path(str(roles.__file__)), *of_packages):
        built.update(source.read_bytes())
    return built.hexdigest()[:16]


def _is_current(target: Path, source: dict[str, Any]) -> bool:
    try:
        current = manifest.read(target)
    except InputError:
        return False
    return (
        current.source == source
        and set(table_names()) <= current.tables.keys()
        and all((target / table / entry["file"]).is_file() for table, entry in current.files())
    )


@contextmanager
def _only_one(directory: Path) -> Generator[None]:
    """Lets only one process at a time make a dataset in a directory, if the file system has locks. The lock is on the
    directory itself, so no lock file is left behind."""
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
    clear_leftovers(target)
    making = make_unfinished(target)
    try:
        manifest.write(making, _write(making, archive, progress), source)
        put_in_place(making, target)
    finally:
        shutil.rmtree(making, ignore_errors=True)


def _write(making: Path, archive: Archive, progress: Progress | None) -> dict[str, list[manifest.Described]]:
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
