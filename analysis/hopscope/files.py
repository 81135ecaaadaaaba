"""Writes files whole or not at all: each is written under a temporary name beside it and then renamed."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import IO

from hopscope.errors import InputError


@contextmanager
def whole_file(output: Path) -> Generator[IO[bytes]]:
    """Context that gives a binary file to write. On success the file gets the name `output`; after an exception it is
    removed.

    Raises InputError if it cannot be written.
    """
    special = output.exists() and not output.is_file()  # a pipe or /dev/stdout, which cannot be replaced
    making = output if special else output.with_name(f"{output.name}.tmp-{os.getpid()}")
    try:
        with making.open("wb") as file:
            yield file
            if not file.closed:
                file.flush()
        if not special:
            making.replace(output)
    except OSError as problem:
        raise InputError(
            f"cannot write {output}: {problem.strerror or problem}; {room(problem)}name another place"
        ) from None
    finally:
        if not special:
            with suppress(OSError):  # for example a folder without permission to write
                making.unlink()


def check_room(output: Path) -> None:
    """Raises InputError if `whole_file` could not write the file `output`. Long tasks call this before they begin."""
    if output.is_dir():
        raise InputError(f"cannot write {output}: it is a directory; name another place")
    if not output.exists() or output.is_file():
        probe = output.with_name(f"{output.name}.tmp-{os.getpid()}")
        try:
            probe.open("wb").close()
        except OSError as problem:
            raise InputError(f"cannot write {output}: {problem.strerror or problem}; name another place") from None
        probe.unlink()


def room(problem: OSError) -> str:
    """The advice to free space, for the message after a failed write. Empty if a full disk was not the problem."""
    return "free some space there, or " if problem.errno in (ENOSPC, EDQUOT, EFBIG) else ""


def write_text(file: Path, text: str) -> None:
    """Write a file that the user asked for, whole or not at all. Raises InputError if it cannot be written."""
    with whole_file(file) as output:
        output.write(text.encode())
