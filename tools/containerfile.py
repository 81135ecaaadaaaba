"""Carries out the steps of a container file in the Debian of DEBIAN_ROOT, where no container engine runs."""

import os
import shlex
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

Run = Callable[..., None]
"""Runs a command in that Debian: its words, `user=` and `variables=` (NAME=value)."""


def steps(text: str) -> list[tuple[str, str]]:
    """The instructions of a container file with their arguments, without comments."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    pairs = [line.partition(" ") for line in "\n".join(lines).replace("\\\n", " ").splitlines()]
    return [(instruction, argument.strip()) for instruction, _, argument in pairs]


def build(file: Path, wheel: Path, run: Run) -> str:
    """Carry out a container file's steps and return the folder of the installation, whose bin comes first in PATH. FROM
    and CMD are not for this."""
    debian = Path(os.environ["DEBIAN_ROOT"])
    variables: list[str] = []
    for instruction, argument in steps(file.read_text()):
        if instruction == "RUN":
            run(["sh", "-c", argument], user="root", variables=variables)
        elif instruction == "ENV":
            variables.append(argument)
        elif instruction == "COPY":
            source, target = shlex.split(argument)
            if not fnmatch(f"dist/{wheel.name}", source):
                raise ValueError(f"COPY {argument} does not copy {wheel.name}")
            shutil.copy(wheel, debian / target.lstrip("/"))
        elif instruction not in ("FROM", "USER", "WORKDIR", "CMD"):
            raise ValueError(f"there is no way to carry out {instruction} here")
    path = next(variable for variable in variables if variable.startswith("PATH="))
    return str(Path(path.removeprefix("PATH=").partition(":")[0]).parent)
