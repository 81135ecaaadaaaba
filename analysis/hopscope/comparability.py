"""Whether two runs may be compared, and what to know before."""

from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from hopscope.errors import InputError

ONE_RUN = (
    "with one run of each, no interval includes how much runs of the same program differ. Give more runs of each "
    "with --base-also and --also, at least three"
)


class HasFacts(Protocol):
    """An opened trace: where it is, as the user gave it, and the row of its table `run`."""

    path: Path

    @cached_property
    def run_facts(self) -> dict[str, Any]: ...  # noqa: D102 - said above


def against(base: HasFacts, new: HasFacts) -> tuple[str, ...]:
    """What to know before two runs are compared, in sentences. Raises InputError where they must not be: the emulation
    delays only the hops of trees, so an emulated run and a native one differ in more than what was changed."""
    before, after = base.run_facts.get("emulated"), new.run_facts.get("emulated")
    if (before is None) != (after is None):
        emulated, native = (base, new) if after is None else (new, base)
        raise InputError(
            f"{emulated.path} ran with emulated links and {native.path} without, so their times cannot be compared "
            "(emulation delays only collectives that run over a tree). Run both with the same topology file"
        )
    notes: list[str] = []
    if before != after:
        notes.append("the two runs emulated different links")
    for fact, words in (("command", "commands"), ("ranks", "numbers of ranks"), ("mpi_library", "MPI libraries")):
        old, now = base.run_facts.get(fact), new.run_facts.get(fact)
        if old != now:
            notes.append(f"the two runs had different {words}: {old} and {now}")
    return tuple(notes)
