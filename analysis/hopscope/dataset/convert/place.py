"""Chooses the directory of a dataset, and ensures that a conversion replaces only files that a conversion made."""

import hashlib
import os
import secrets
import shutil
from pathlib import Path

from hopscope.dataset import manifest
from hopscope.dataset.convert.source import Archive
from hopscope.errors import InputError
from hopscope.launch import job

UNFINISHED = "hopscope-conversion"
"""The name of a file that marks the directory of an unfinished conversion. The next conversion may remove it."""
_MARK = "made by a conversion of hopscope that has not finished\n"

ANOTHER_PLACE = "name another place for the dataset with --dataset DIR"


def dataset_directory(archive: Archive) -> Path:
    """The directory for an archive's dataset: beside it, or in the user's cache if that directory is not writable."""
    alone = archive.anchor.name == job.ANCHOR or len(list(archive.directory.glob("*.otf2"))) == 1
    name = "dataset" if alone else f"{archive.anchor.stem}.dataset"
    sibling = archive.directory / name
    if os.access(archive.directory, os.W_OK):
        return sibling
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "hopscope"
    place = hashlib.sha256(str(archive.anchor.resolve()).encode()).hexdigest()[:12]
    return cache / f"{archive.name}-{place}" / "dataset"


def check_replaceable(target: Path) -> None:
    """Raises InputError unless a dataset may take this place: it is free, an empty directory, or a dataset that a
    conversion made and that has no other files.

    Never follows a link.
    """
    if target.is_symlink():
        raise InputError(
            f"{target} is a symbolic link to {target.readlink()}, and hopscope never replaces the target of a link; "
            f"remove the link, or {ANOTHER_PLACE}"
        )
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(
            f"{target} is a file that hopscope did not make, so it is not replaced; move it away, or {ANOTHER_PLACE}"
        )
    entries = sorted(target.iterdir())
    if not entries:
        return
    reason = manifest.not_ours(target)
    if reason is not None:
        verdict, advice = (
            ("may not be", "delete it if it is one, ") if (target / manifest.MANIFEST).exists() else ("is not", "")
        )
        raise InputError(
            f"{target} {verdict} a dataset made by hopscope ({reason}), so it is not replaced; {advice}move it away, "
            f"or {ANOTHER_PLACE}"
        )
    strange = next((entry for entry in entries if not _is_part(entry)), None)
    if strange is not None:
        raise InputError(
            f"{target} is an outdated dataset, but {strange} does not belong to it, so it is not replaced; move "
            f"{strange.name} away, or {ANOTHER_PLACE}"
        )


def make_unfinished(target: Path) -> Path:
    """Makes a directory beside the target, and marks it as an unfinished conversion. Raises OSError."""
    making = target.with_name(f"{target.name}.tmp-{secrets.token_hex(4)}")
    making.mkdir()
    try:
        (making / UNFINISHED).write_text(_MARK, encoding="utf-8")
    except BaseException:  # on a full disk, the directory can be made but its file cannot be written
        shutil.rmtree(making, ignore_errors=True)
        raise
    return making


def put_in_place(making: Path, target: Path) -> None:
    """Moves a finished dataset into its place and removes an outdated one. Raises OSError, and InputError if other
    files have appeared there meanwhile."""
    (making / UNFINISHED).unlink()
    check_replaceable(target)
    if target.exists() and any(target.iterdir()):
        outdated = making.with_name(f"{making.name}-outdated")
        target.rename(outdated)
        making.rename(target)
        shutil.rmtree(outdated)
    else:
        making.rename(target)  # replaces an empty directory


def clear_leftovers(target: Path) -> None:
    """Removes directories that killed conversions left beside the target, and nothing else."""
    for left in target.parent.iterdir():
        if left.name.startswith(f"{target.name}.tmp-") and not left.is_symlink() and _is_left_over(left):
            shutil.rmtree(left)


def _is_left_over(path: Path) -> bool:
    try:
        is_marked = _MARK.startswith((path / UNFINISHED).read_text(encoding="utf-8"))  # may be cut short by a full disk
    except (OSError, UnicodeDecodeError):
        is_marked = False
    try:
        return (is_marked or manifest.not_ours(path) is None) and all(_is_part(entry) for entry in path.iterdir())
    except OSError:
        return False


def _is_part(path: Path) -> bool:
    """True for a file or table directory of the form that conversions make."""
    if path.is_symlink():
        return False
    if path.name in (manifest.MANIFEST, UNFINISHED) or path.name.startswith(".scratch-"):
        return path.is_file()
    return path.is_dir() and all(part.match("part-*.parquet") and part.is_file() for part in path.iterdir())
