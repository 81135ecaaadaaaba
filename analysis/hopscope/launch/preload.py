"""Follows LD_PRELOAD from the launcher to the program: adds the collector where a command line sets the variable, and
finds the reason if something on the way drops it."""

import os
import re
import shlex
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from hopscope.launch.elf import is_elf, is_static
from hopscope.launch.mpi_library import NAMES_VARIABLE

PRELOAD = "LD_PRELOAD"
_ASSIGNED = re.compile(rf"{PRELOAD}=(.*)", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_EXPORT = re.compile(r"(--export=)(.*)")
"""Slurm's list of variables that reach the ranks."""
_CONTAINERS = re.compile(r"apptainer|singularity|docker|podman(-hpc)?|shifter|sarus|ch-run|enroot|udocker")
_OTHER_USERS = ("sudo", "su", "runuser", "doas")
_LOOK = 1 << 20
"""The number of bytes of a script that are searched."""
_SETS_PRELOAD = re.compile(rf"^(?!\s*#).*(\b{PRELOAD}\b|\benv\s+(-i|-|--ignore-environment)\s).*$", re.MULTILINE)


def preload_value(library: str, preloads: str) -> str:
    """The value of LD_PRELOAD with `library` first, before the libraries in `preloads`."""
    return ":".join([library, *(word for word in re.split(r"[ :]", preloads) if word and word != library)])


def join_preload(words: Sequence[str], library: str) -> list[str]:
    """The command line with the collector's library first wherever the line sets LD_PRELOAD itself: by Open MPI's
    ``-x``, MPICH's ``-genv`` and ``-env``, Slurm's ``--export`` or ``env``."""
    result = list(words)
    for position, word in enumerate(words):
        before = list(words[max(0, position - 2) : position])
        assigned = _ASSIGNED.fullmatch(word)
        if assigned and (before[-1:] == ["-x"] or _is_after_env(words, position)):
            result[position] = f"{PRELOAD}={preload_value(library, assigned[1])}"
        elif len(before) == 2 and NAMES_VARIABLE.fullmatch(before[0]) and before[1] == PRELOAD:
            result[position] = preload_value(library, word)
        elif export := _EXPORT.fullmatch(word):
            names = (
                _ASSIGNED.sub(lambda m: f"{PRELOAD}={preload_value(library, m[1])}", name)
                for name in export[2].split(",")
            )
            result[position] = export[1] + ",".join(names)
    return result


def loss_reason(words: Sequence[str]) -> str | None:
    """The reason why LD_PRELOAD does not reach the program of this command line, and what to do. None if neither the
    words nor the files that they name show a reason."""
    return next((reason for position in range(len(words)) for reason in _reasons(words, position)), None)


def _is_after_env(words: Sequence[str], position: int) -> bool:
    """True for a word among the assignments and options of ``env``."""
    for word in reversed(words[:position]):
        if Path(word).name == "env":
            return True
        if not word.startswith("-") and not _ASSIGNMENT.fullmatch(word):
            return False
    return False


def _reasons(words: Sequence[str], position: int) -> Iterator[str]:
    """The reasons why this word keeps LD_PRELOAD from the program."""
    word = words[position]
    name = Path(word).name
    if word in ("-i", "-", "--ignore-environment") and _is_after_env(words, position):
        yield f"`env {word}` drops {PRELOAD}; leave it out, or set only what the program must not see"
    if word == "--export=NONE":
        yield f"`srun {word}` drops {PRELOAD}; give --export=ALL"
    if word in (f"-u{PRELOAD}", f"--unset={PRELOAD}") or [*words[position : position + 2]] == ["-u", PRELOAD]:
        yield f"`env` takes {PRELOAD} away; leave that out"
    path = shutil.which(word)
    if path is None:
        return
    if _CONTAINERS.fullmatch(name):
        yield (
            f"{name} starts a container, which may drop {PRELOAD} and lack the collector's files; mount the "
            "collector's folder at the same path, and put the words of `hopscope preload` before the program inside "
            "the container"
        )
    elif name in _OTHER_USERS:
        yield f"{name} drops {PRELOAD}; run `hopscope run` as that user"
    else:
        yield from _reasons_of_file(Path(path))


def _reasons_of_file(program: Path) -> Iterator[str]:
    """The reasons why nothing is preloaded into this program, or into what it starts."""
    try:
        facts, is_root = program.stat(), os.geteuid() == 0
        privileged = (
            (facts.st_mode & stat.S_ISUID and facts.st_uid != os.geteuid())
            or (facts.st_mode & stat.S_ISGID and facts.st_gid != os.getegid())
            or (not is_root and "security.capability" in os.listxattr(program))
        )
        text = "" if is_elf(program) else program.read_bytes()[:_LOOK].decode(errors="replace")
    except OSError:
        return
    if privileged:
        yield (
            f"{program} runs with the rights of another user or with capabilities, and the dynamic linker preloads "
            "nothing into such a program; run a copy without them"
        )
    elif is_elf(program) and is_static(program):
        yield f"{program} is linked statically, so nothing can be preloaded; link it to shared libraries"
    elif line := _SETS_PRELOAD.search(text):
        number = text.count("\n", 0, line.start()) + 1
        yield (
            f"line {number} of {shlex.quote(str(program))} changes {PRELOAD} (`{line[0].strip()}`); let it keep the "
            f"collector: {PRELOAD}=...${{{PRELOAD}:+:${PRELOAD}}}"
        )
