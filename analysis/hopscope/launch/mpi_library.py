"""Finds the MPI library that a command line uses: the program's or, if that is unknown, the launcher's."""

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from hopscope.errors import InputError
from hopscope.launch.elf import exported_names, is_elf, own_names
from hopscope.launch.installed import FLAVOURS, MPI_NAMES, MpiLibrary

# One name covers several releases: Open MPI 3 to 5, or MPICH 3 to 5 with all libraries of its ABI (Intel MPI, MVAPICH,
# Cray MPICH). Debian calls MPICH's libmpich.so.12.
_SONAMES = (
    (re.compile(r"\blibmpi\.so\.40\b"), "openmpi"),
    (re.compile(r"\blibmpi(ch)?\.so\.12\b"), "mpich"),
    (re.compile(r"\blibmpi_abi\.so\b"), "abi"),
)
LOADER_NAMES = ("libmpi.so.40", "libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0")
"""The names by which the loader finds these libraries."""
_ANY_MPI = re.compile(r"\b(libmpi\w*\.so[.\d]*)")
# These programs start the first word after their options. The others in _LAUNCHERS find their program by other rules.
_STARTERS = "mpirun|mpiexec|orterun|prterun|srun|aprun|jsrun|hydra|flux|ibrun|env|nice|numactl|taskset|timeout"
_STARTS_A_WORD = re.compile(rf"({_STARTERS})([._-].*)?")
_LAUNCHERS = re.compile(rf"({_STARTERS}|sh|bash|gdb|valgrind|singularity|apptainer)([._-].*)?")
NAMES_VARIABLE = re.compile(r"--?g?env")
"""MPICH's options that are followed by a variable's name and its value."""
_PYTHON = re.compile(r"python[\d.]*$")


def _executable(word: str) -> Path | None:
    """The file that a word of a command line would start, if it is one."""
    path = shutil.which(word)
    return Path(path) if path else None


def loaded_libraries(program: Path) -> list[tuple[str, Path | None]]:
    """The libraries that the dynamic loader would load for a program, by ldd: their names, and their files where found.
    Empty for a file that is not dynamically linked.
    """
    try:
        output = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=False, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    pairs = re.findall(r"^\s*(\S+) => (/\S+|not found)", output, flags=re.MULTILINE)
    return [(name, Path(path) if path.startswith("/") else None) for name, path in pairs]


def library_mpi(name: str, path: Path | None) -> MpiLibrary | None:
    """The MPI library with this file name; None if no collector supports it."""
    for pattern, flavour in _SONAMES:
        if pattern.search(name):
            return MpiLibrary(flavour, path)
    return None


def program_mpi(program: Path) -> MpiLibrary | None:
    """The MPI library that a program needs, directly or through another library; None if it needs none.

    Raises InputError if no collector supports the program's MPI library.
    """
    if not is_elf(program):
        return None
    libraries = loaded_libraries(program)
    for name, path in libraries:
        mpi = library_mpi(name, path)
        if mpi is not None:
            return mpi
    for name, _ in libraries:
        if _ANY_MPI.search(name):
            raise InputError(
                f"{program} needs {name}, which no collector supports. Collectors exist for libmpi.so.40 (Open MPI), "
                "libmpi.so.12 (MPICH and its ABI) and libmpi_abi.so; build the program with one of these"
            )
    if {"MPI_Init", "PMPI_Init"} <= own_names(program) | exported_names(program):
        raise InputError(
            f"{program} links MPI statically, so the collector cannot be preloaded; link the program to the shared "
            "library (libmpi.so)"
        )
    return None


def launcher_mpi(launcher: str) -> MpiLibrary | None:
    """The MPI library that a launcher such as mpirun names in its version text; None if it names none (srun)."""
    program = _executable(launcher)
    if program is None:
        return None
    try:
        version = subprocess.run(
            [str(program), "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = version.stdout + version.stderr
    if re.search(r"Open MPI|OpenRTE|Open RTE|PRRTE|PRTE|prterun", text):
        return MpiLibrary("openmpi")
    return MpiLibrary("mpich") if re.search(r"HYDRA|MPICH|Intel\(R\) MPI", text) else None


PRINT_MAPPED = (
    "print(*{line.split(maxsplit=5)[5].strip() for line in open('/proc/self/maps') if 'libmpi' in line}, sep='\\n')"
)
"""Python code that prints the files of the MPI libraries in its process, for mapped_mpi."""


def mapped_mpi(printed: str) -> MpiLibrary | None:
    """The MPI library among the files that PRINT_MAPPED printed; None if there is none."""
    libraries = (library_mpi(Path(line).name, Path(line)) for line in sorted(printed.splitlines()))
    return next((mpi for mpi in libraries if mpi is not None), None)


def python_mpi(python: Path) -> MpiLibrary | None:
    """The MPI library that the mpi4py of an interpreter loads. mpi4py chooses it by its own rules (such as
    MPI4PY_MPIABI), here in the same environment as in the job.
    """
    code = f"import mpi4py; mpi4py.rc.initialize = False\nfrom mpi4py import MPI\n{PRINT_MAPPED}"
    try:
        answer = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return mapped_mpi(answer.stdout)


def _interpreter(script: Path) -> Path | None:
    """The interpreter that a script's first line names, directly or after `env`; None if it names none."""
    try:
        with script.open("rb") as file:
            first = file.readline(200)
    except OSError:
        return None
    words = first[2:].decode(errors="replace").split() if first.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return _executable(words[0]) if words else None


def _word_mpi(word: str) -> MpiLibrary | None:
    """The MPI library of the program that a word of a command line names. If it names a script, that of the script's
    interpreter."""
    path = _executable(word)
    if path is None:
        return None
    mpi = program_mpi(path)
    if mpi is not None:
        return mpi
    interpreter = path if is_elf(path) else _interpreter(path)
    if interpreter is None:
        return None
    if interpreter != path:
        mpi = program_mpi(interpreter)
    return mpi or (python_mpi(interpreter) if _PYTHON.match(interpreter.name) else None)


def find_program(words: Sequence[str]) -> str:
    """The name of the program in a launcher's command line, for naming the trace: the first word that is linked to
    MPI, or the first script or program after the launcher's own options, or the launcher.
    """
    candidates: list[str] = []
    for index, word in enumerate(words):
        path = _executable(word)
        if path is None and not (index and word.endswith(".py") and Path(word).is_file()):
            continue
        if path is not None and is_elf(path) and any(library_mpi(*library) for library in loaded_libraries(path)):
            return Path(word).name
        candidates.append(Path(word).name)
    scripts = [name for name in candidates if name.endswith(".py")]
    programs = [name for name in candidates if not _LAUNCHERS.fullmatch(name)]
    return (scripts or programs or [Path(words[0]).name])[0]


def why_not_started(word: str) -> str | None:
    """The reason why a word of a command line cannot be started, and where it was searched; None if it can."""
    if _executable(word) is not None:
        return None
    if os.sep not in word:
        return f"no program named {word!r} in the PATH ({os.environ.get('PATH', '')})"
    path = Path(word).absolute()
    if path.is_dir():
        return f"{word} is a directory ({path})"
    if path.exists():
        return f"{word} is not executable ({path}); run chmod +x on it"
    return f"no such program: {word} (looked for {path})"


def missing_program(words: Sequence[str]) -> str | None:
    """The fault of the program in a launcher's command line, if none of its words names an existing program."""
    suspects: list[tuple[bool, bool, str]] = []
    for position, (option, word) in enumerate(itertools.pairwise(words)):
        is_variable = NAMES_VARIABLE.fullmatch(option) or (position and NAMES_VARIABLE.fullmatch(words[position - 1]))
        if word.startswith("-") or "=" in word or word.isdecimal() or is_variable:
            continue
        if _executable(word) is None:
            suspects.append((os.sep not in word, option.startswith("-"), word))
        elif not _STARTS_A_WORD.fullmatch(Path(word).name):
            return None
    if not suspects or not _STARTS_A_WORD.fullmatch(Path(words[0]).name):
        return None
    # Prefer a path to a bare word, and a word that does not follow an option.
    return why_not_started(min(suspects, key=lambda suspect: suspect[:2])[2])


def check_named_mpi(name: str, words: Sequence[str]) -> None:
    """Raises InputError if the collector of that name (`mpich`, `openmpi-5`) is for another MPI library than that which
    the programs in a command line are linked to."""
    programs: list[tuple[str, MpiLibrary]] = []
    for word in words:
        path = _executable(word)
        mpi = program_mpi(path) if path is not None else None
        if mpi is not None:
            programs.append((word, mpi))
    flavour = name.partition("-")[0]
    if not programs or flavour not in FLAVOURS or any(mpi.flavour == flavour for _, mpi in programs):
        return
    word, mpi = programs[0]
    raise InputError(
        f"{word} is linked to {MPI_NAMES[mpi.flavour]} ({mpi.path or 'its library was not found'}), but --mpi {name} "
        f"selects the collector for {MPI_NAMES[flavour]}; drop --mpi, or give --mpi {mpi.flavour}"
    )


def find_mpi(words: Sequence[str]) -> MpiLibrary:
    """The MPI library of the job that a command line starts.

    It is the library that a program in the command line needs or, for Python, that mpi4py loads. If there is none, the
    launcher's version text decides. Raises InputError if that names no MPI library either.
    """
    missing = why_not_started(words[0]) if words else "no command was given"
    if missing:
        raise InputError(f"nothing to start: {missing}; put the whole command after `--`, launcher first")
    mpi = next((mpi for word in words if (mpi := _word_mpi(word))), None) or launcher_mpi(words[0])
    if mpi is None:
        raise InputError(
            f"cannot tell which MPI library `{' '.join(words[:6])}` uses: no program in it is linked to one, and the "
            f"launcher names none; name it with --mpi {' or --mpi '.join(FLAVOURS)} "
            f"({', '.join(MPI_NAMES[f] for f in FLAVOURS)})"
        )
    return mpi


def default_directory(program: str, folder: Path) -> Path:
    """``hopscope-<program>-<n>`` with the first n that is free in a folder."""
    stem = re.sub(r"[^A-Za-z0-9_.+-]", "_", Path(program).stem) or "run"
    number = 1
    while os.path.lexists(folder / f"hopscope-{stem}-{number}"):
        number += 1
    return folder / f"hopscope-{stem}-{number}"
