"""A file that is either written whole or not there: it is made beside its place and renamed into it."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, ENOSPC
from pathlib import Path
from typing import IO

from hopscope.errors import InputError


@contextmanager
def whole_file(output: Path) -> Generator[IO[bytes]]:
    """A binary file to write in here; it takes the name `output` at the end, and is gone if an exception ends it.

    Raises InputError if it cannot be written.
    """
    special = output.exists() and not output.is_file()  # a pipe or /dev/stdout, which nothing may take the place of
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
            with suppress(OSError):  # of a place that takes no file
                making.unlink()


def check_room(output: Path) -> None:
    """Raises InputError if `whole_file` could not make the file: for what takes long, before it begins."""
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
    """The beginning of the advice on what could not be written: to make room, where room is what is missing."""
    return "free some space there, or " if problem.errno in (ENOSPC, EDQUOT, EFBIG) else ""


def write_text(file: Path, text: str) -> None:
    """Write a file that the user asked for, whole or not at all. Raises InputError if it cannot be written."""
    with whole_file(file) as output:
        output.write(text.encode())
