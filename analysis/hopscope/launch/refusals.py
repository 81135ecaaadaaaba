"""Why Open MPI's launcher starts no rank though nothing is wrong with the program: it runs as root, or has too few
slots."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from hopscope.launch.command import launcher_options, rank_count
from hopscope.launch.mpi_library import launcher_mpi

_PLACES = ("--oversubscribe", "-oversubscribe", "--hostfile", "-hostfile", "--machinefile", "--host", "-host", "-H")
"""Options that say how many ranks may run where."""
_AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT")


def likely_refusal(words: Sequence[str], environment: Mapping[str, str], *, is_root: bool, cores: int) -> str | None:
    """The launcher's likely reason not to start this command line, with what to do; None where none is known."""
    mpi = launcher_mpi(words[0])
    if mpi is None or mpi.flavour != "openmpi":
        return None
    options, name = launcher_options(words), Path(words[0]).name
    allowed = any(environment.get(variable) == environment.get(f"{variable}_CONFIRM") == "1" for variable in _AS_ROOT)
    if is_root and "--allow-run-as-root" not in options and not allowed:
        return f"{name} starts nothing as root; run as another user, or give {name} --allow-run-as-root"
    ranks = rank_count(words)
    is_placed = any(option in _PLACES or "oversubscribe" in option.lower() for option in options)
    if ranks is not None and ranks > cores and not is_placed:
        return f"{name} has no slots for {ranks} ranks on {cores} cores; give {name} --oversubscribe, or fewer ranks"
    return None


def refusal_here(words: Sequence[str]) -> str | None:
    """The launcher's likely reason not to start this command line here, by this process; None where none is known."""
    return likely_refusal(words, os.environ, is_root=os.geteuid() == 0, cores=os.cpu_count() or 1)
