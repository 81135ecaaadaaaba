"""Which MPI library a program is linked to, and if that cannot be seen, which one its launcher belongs to."""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.installed import FLAVOURS, MPI_NAMES

# Both libraries keep these names over their versions: Open MPI 3 to 5, and MPICH 3 to 5 with all that shares its ABI
# (Intel MPI, MVAPICH, Cray MPICH). Debian calls MPICH's libmpich.so.12.
_SONAMES = (
    (re.compile(r"\blibmpi\.so\.40\b"), "openmpi"),
    (re.compile(r"\blibmpi(ch)?\.so\.12\b"), "mpich"),
)
_ANY_MPI = re.compile(r"\b(libmpi\w*\.so[.\d]*)")
_LAUNCHERS = re.compile(
    r"(mpirun|mpiexec|orterun|prterun|srun|aprun|jsrun|hydra|flux|ibrun|sh|bash|env|nice|numactl|taskset|gdb|valgrind|"
    r"timeout|singularity|apptainer)([._-].*)?"
)


def _executable(word: str) -> Path | None:
    """The file that a word of a command line would start, if it is one."""
    found = shutil.which(word)
    return Path(found) if found else None


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _libraries(program: Path) -> str:
    """What the dynamic loader would load for a program, by ldd; empty for what is not dynamically linked."""
    try:
        return subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ""


def program_flavour(program: Path) -> str | None:
    """The flavour of the MPI library that a program needs, directly or through another library; None if none.

    Raises InputError for a program that needs an MPI library that the collector does not serve.
    """
    if not _is_elf(program):
        return None
    libraries = _libraries(program)
    for pattern, flavour in _SONAMES:
        if pattern.search(libraries):
            return flavour
    other = _ANY_MPI.search(libraries)
    if other:
        raise InputError(
            f"{program} needs {other.group(1)}, which no collector library fits: there are those for libmpi.so.40 "
            "(Open MPI) and libmpi.so.12 (MPICH and its ABI); build the program with one of these"
        )
    return None


def launcher_flavour(launcher: str) -> str | None:
    """The flavour that a launcher such as mpirun names in its own version text; None if it names none (srun)."""
    found = _executable(launcher)
    if found is None:
        return None
    try:
        shown = subprocess.run(
            [str(found), "--version"], capture_output=True, text=True, check=False, timeout=30, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = shown.stdout + shown.stderr
    if re.search(r"Open MPI|OpenRTE|Open RTE|PRRTE|PRTE|prterun", text):
        return "openmpi"
    if re.search(r"HYDRA|MPICH|Intel\(R\) MPI", text):
        return "mpich"
    return None


def _mpi4py_flavour(python: Path) -> str | None:
    """What mpi4py of that interpreter loads when asked outside a job."""
    code = "import mpi4py; mpi4py.rc.initialize = False\nfrom mpi4py import MPI\nprint(MPI.get_vendor()[0])"
    try:
        answer = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    vendor = answer.stdout.strip()
    if vendor == "Open MPI":
        return "openmpi"
    return "mpich" if vendor in ("MPICH", "Intel MPI", "MVAPICH", "MVAPICH2", "Cray MPICH") else None


def find_program(words: Sequence[str]) -> str:
    """The name of the program in a launcher's command line, for naming the trace: the first word that is linked to
    MPI, or the first script or program after the launcher's own options, or the launcher.
    """
    candidates: list[str] = []
    for index, word in enumerate(words):
        path = _executable(word)
        if path is None and not (index and word.endswith(".py") and Path(word).is_file()):
            continue
        if path is not None and _is_elf(path) and any(p.search(_libraries(path)) for p, _ in _SONAMES):
            return Path(word).name
        candidates.append(Path(word).name)
    scripts = [name for name in candidates if name.endswith(".py")]
    others = [name for name in candidates if not _LAUNCHERS.fullmatch(name)]
    return (scripts or others or [Path(words[0]).name])[0]


def find_flavour(words: Sequence[str]) -> str:
    """The MPI flavour of the job that a command line starts.

    The needed libraries of the programs named in it decide; then the launcher's own word (mpi4py goes with its
    launcher); then what mpi4py loads. Raises InputError if all of these are silent.
    """
    if not words or _executable(words[0]) is None:
        what = words[0] if words else ""
        raise InputError(
            f"there is no program called {what!r} to start; after `--` comes the whole command, launcher first"
        )
    for word in words:
        path = _executable(word)
        flavour = program_flavour(path) if path is not None else None
        if flavour is not None:
            return flavour
    flavour = launcher_flavour(words[0]) or next(
        (
            found
            for word in words
            if re.match(r"python[\d.]*$", Path(word).name)
            and (path := _executable(word)) is not None
            and (found := _mpi4py_flavour(path))
        ),
        None,
    )
    if flavour is None:
        raise InputError(
            f"cannot tell which MPI library `{' '.join(words[:6])}` uses: no program in it is linked to one and the "
            f"launcher names none; say it with --mpi {' or --mpi '.join(FLAVOURS)} "
            f"({', '.join(MPI_NAMES[f] for f in FLAVOURS)})"
        )
    return flavour


def default_directory(program: str, where: Path) -> Path:
    """``hopscope-<program>-<n>`` with the first n that is free in a folder."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]", "_", Path(program).stem) or "run"
    number = 1
    while os.path.lexists(where / f"hopscope-{stem}-{number}"):
        number += 1
    return where / f"hopscope-{stem}-{number}"
