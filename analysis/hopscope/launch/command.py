"""Turns an ordinary launcher command line into one that traces the program.

Everything goes through the environment: LD_PRELOAD names the collector's library, HOPSCOPE_* configure it.
Local ranks, MPICH's launcher and srun hand the environment on by themselves; Open MPI's launcher takes it to other
hosts only if told so by ``-x``. The library is also loaded into the launcher, where it does nothing, because a launcher
never calls MPI_Init.
"""

import itertools
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.installed import collector_library
from hopscope.launch.mpi_library import launcher_mpi
from hopscope.launch.preload import PRELOAD, join_preload, preload_value

RECORDINGS = ("all", "collectives")
"""Recording modes: `collectives` leaves the application's messages out."""

MCA_OPTION = re.compile(r"--?(g?mca|g?omca|prtemca|g?pmixmca)")
"""Open MPI's options that have two values, a parameter's name and its value."""
_TWO_VALUES = re.compile(rf"{MCA_OPTION.pattern}|-g?env")
"""Options that are followed by a name and a value: MCA options, and MPICH's options for variables."""
_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun)([._-].*)?")
_OPEN_MPI_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun|prterun)([._-].*)?")


@dataclass(frozen=True)
class Request:
    """The tracing options of a job. Paths are absolute, because a rank may run in another folder."""

    collector: str
    """The collector's library, by flavour or flavour and release: `openmpi`, `mpich-5`."""
    directory: Path | None = None
    tree: str | None = None
    """A tree file's absolute path or the name of a shape; None: the collector only observes the MPI library."""
    topology: Path | None = None
    record: str | None = None
    """One of RECORDINGS; None: HOPSCOPE_RECORD decides, if the user has set it."""


def environment(request: Request, inherited: Mapping[str, str]) -> dict[str, str]:
    """The variables to set for a job, over an inherited environment. A library that is already in LD_PRELOAD stays
    there, after the collector's.
    """
    library = str(collector_library(request.collector))
    if re.search(r"[ :]", library):
        raise InputError(
            f"{library} cannot be preloaded, because the dynamic linker splits LD_PRELOAD at spaces and colons; "
            "install hopscope, or the collector (HOPSCOPE_COLLECTOR_DIR), in a path without them"
        )
    variables = {PRELOAD: preload_value(library, inherited.get(PRELOAD, ""))}
    if request.directory is not None:
        variables["HOPSCOPE_DIR"] = str(request.directory)
    if request.tree is not None:
        variables["HOPSCOPE_TREE"] = request.tree
    if request.topology is not None:
        variables["HOPSCOPE_TOPOLOGY"] = str(request.topology)
    if request.record is not None:
        variables["HOPSCOPE_RECORD"] = request.record
    return variables


def preload_words(request: Request, inherited: Mapping[str, str]) -> list[str]:
    """``env LD_PRELOAD=... [HOPSCOPE_...=...]``: the words that go before the program in any launcher's command."""
    return ["env", *(f"{name}={value}" for name, value in environment(request, inherited).items())]


def _is_open_mpi_launcher(word: str) -> bool:
    """Tells if a word starts Open MPI's launcher, by its name and version text. MPICH's mpirun has no ``-x``."""
    if not _OPEN_MPI_LAUNCHER.fullmatch(Path(word).name):
        return False
    mpi = launcher_mpi(word)
    return mpi is None or mpi.flavour == "openmpi"


def launcher_options(words: Sequence[str]) -> list[str]:
    """The words before the program in a launcher's command line. The program is the first path to a file, or the first
    name of a program that is not the value of an option (``--map-by node``, ``--hostfile /tmp/hosts``).
    """
    for index, (option, word) in enumerate(itertools.pairwise(words), start=1):
        is_path = "/" in word and shutil.which(word) is not None
        is_value = (option.startswith("-") and not is_path) or MCA_OPTION.fullmatch(words[max(0, index - 2)])
        if not is_value and (shutil.which(word) or Path(word).is_file()):
            return list(words[1:index])
    return list(words[1:])


def named_program(words: Sequence[str]) -> str | None:
    """The program in a launcher's command line: the first word after the launcher that can be started and is surely no
    value of an option. None if there is no such word, or no known launcher. Words before the launcher, such as
    ``taskset``, start the launcher."""
    launcher = next(
        (position for position, word in enumerate(words) if _LAUNCHER.fullmatch(Path(word).name)), len(words)
    )
    for index, word in enumerate(words[launcher + 1 :], start=launcher + 1):
        options = words[index - 1], words[max(0, index - 2)]
        is_value = options[0].startswith("-") or _TWO_VALUES.fullmatch(options[1])
        if not is_value and not word.startswith("-") and shutil.which(word):
            return word
    return None


def rank_count(words: Sequence[str]) -> int | None:
    """The number of ranks in a launcher's own options (``-n 8``, ``-np 8``). None if the options do not say it, or if
    several programs make one job.
    """
    if not _LAUNCHER.fullmatch(Path(words[0]).name) or ":" in words:
        return None
    pairs = itertools.pairwise(launcher_options(words))
    counts = [value for option, value in pairs if option in ("-n", "-np", "--np", "--ntasks")]
    return int(counts[0]) if len(counts) == 1 and counts[0].isdecimal() else None


def launcher_words(words: Sequence[str], collector: str, variables: Mapping[str, str]) -> list[str]:
    """The command line to start. If it sets LD_PRELOAD itself, the collector's library is added there. The launcher
    gets the options that it needs to hand the variables on.

    variables: those of `environment`, and any HOPSCOPE_* variables that the user set by hand.
    """
    words = join_preload(words, str(collector_library(collector)))
    if collector.startswith("openmpi") and _is_open_mpi_launcher(words[0]):
        own = launcher_options(words)
        names = (name for name in variables if not any(word.startswith(f"{name}=") for word in own))
        return [words[0], *(word for name in names for word in ("-x", name)), *words[1:]]
    return words
