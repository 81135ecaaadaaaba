"""Finds the reason why Open MPI's launcher starts no rank although the program is right: it runs as root, or has too
few slots."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from hopscope.launch.command import launcher_options, rank_count
from hopscope.launch.mpi_library import launcher_mpi

_PLACES = ("--oversubscribe", "-oversubscribe", "--hostfile", "-hostfile", "--machinefile", "--host", "-host", "-H")
"""Options that say how many ranks may run where."""
_HOST = ("--host", "-host", "-H")
_AS_ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT")


def likely_refusal(words: Sequence[str], environment: Mapping[str, str], *, is_root: bool, cores: int) -> str | None:
    """The launcher's likely reason not to start this command line, with the remedy; None if none is known."""
    mpi = launcher_mpi(words[0])
    if mpi is None or mpi.flavour != "openmpi":
        return None
    options, name = launcher_options(words), Path(words[0]).name
    allowed = any(environment.get(variable) == environment.get(f"{variable}_CONFIRM") == "1" for variable in _AS_ROOT)
    if is_root and "--allow-run-as-root" not in options and not allowed:
        return f"{name} starts nothing as root; run as another user, or give {name} --allow-run-as-root"
    ranks = rank_count(words)
    if ranks is None or any("oversubscribe" in option.lower() for option in options):
        return None
    advice = f"give {name} --oversubscribe, or fewer ranks"
    slots = _slots(options)
    if slots is not None and ranks > slots:
        return f"{name} has no slots for {ranks} ranks on its hosts, which have {slots}; {advice}"
    if ranks > cores and not any(option in _PLACES for option in options):
        return f"{name} has no slots for {ranks} ranks on {cores} cores; {advice}"
    return None


def _slots(options: Sequence[str]) -> int | None:
    """The slots of the hosts that --host names: one for each mention of a host, or the number after its colon. None if
    the option is not given, or leaves a number to the launcher."""
    lists = [options[position + 1] for position, option in enumerate(options[:-1]) if option in _HOST]
    counts = [host.rpartition(":")[2] if ":" in host else "1" for hosts in lists for host in hosts.split(",")]
    return sum(map(int, counts)) if counts and all(count.isdecimal() for count in counts) else None


def refusal_here(words: Sequence[str]) -> str | None:
    """The launcher's likely reason not to start this command line, if it were started by this process; None if none is
    known."""
    return likely_refusal(words, os.environ, is_root=os.geteuid() == 0, cores=machine_slots())


def machine_slots() -> int:
    """The cores of this machine, which are the launcher's slots: threads of one core count once."""
    siblings = Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list")
    return len({file.read_text() for file in siblings}) or os.cpu_count() or 1
