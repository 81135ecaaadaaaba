"""The algorithms that an MPI library has, each as its settings force it and, where the plan has it, as a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hopscope.advice.trees.pool import SEGMENTS
from hopscope.mpi_libraries.offered import Library, Offered, operation_name
from hopscope.mpi_libraries.open_mpi.algorithms import CUT
from hopscope.mpi_libraries.planned import Unplanned, planned
from hopscope.mpi_libraries.written import Choice, ExtraSettings
from hopscope.replay.algorithms.algorithm import Algorithm, segmented
from hopscope.replay.parts import ends_in_rules, payloads_of
from hopscope.replay.run.program import Subject

CHAINS = (2, 4, 8)
"""Fan-outs of Open MPI's `chain`."""
_IN_GROUPS = "which algorithms it calls inside hosts and between them is chosen by other components"


@dataclass(frozen=True)
class Form:
    """A setting of a library for selections of one operation. pieces: one for each of them; none if it is not
    predicted, for `reason`."""

    name: str
    choices: tuple[Choice, ...]
    extra_settings: ExtraSettings
    pieces: tuple[Algorithm, ...] = ()
    reason: str | None = None


def forms(library: Library, parts: Sequence[Subject]) -> Iterator[Form]:
    """Every algorithm that the library has for the selections' operation, whole and in segments."""
    operation = operation_name(parts[0].op)
    for offered in library.algorithms:
        if offered.operation == operation:
            yield from _of_algorithm(library, offered, parts)
    for offered in library.in_groups:
        if offered.operation == operation and any(len(set(part.hosts)) > 1 for part in parts):
            yield Form(offered.name, (), ((offered.setting, str(offered.number)),), reason=_IN_GROUPS)


def choices_of(library: Library, offered: Offered, parts: Sequence[Subject], chains: int, length: int) -> list[Choice]:
    """Choices that make the library run it for these selections. MPICH's variables have neither ranks nor bytes."""
    if library.flavour != "openmpi":
        return [Choice(offered, len(parts[0].members))]
    ends = ends_in_rules(parts)
    return [Choice(offered, ranks, *ends, chains, length) for ranks in sorted({len(part.members) for part in parts})]


def _of_algorithm(library: Library, offered: Offered, parts: Sequence[Subject]) -> Iterator[Form]:
    """An algorithm with each fan-out and length of segments."""
    ranks = min(len(part.members) for part in parts)
    longest_payload = max(size for part in parts for size in payloads_of(part))
    extra_settings = (library.extra_settings[offered.operation],) if offered.operation in library.extra_settings else ()
    takes_chains = offered.name == "chain" and offered.number is not None
    for chains in [fan_out for fan_out in CHAINS if fan_out < ranks - 1] if takes_chains else [0]:
        name = f"{offered.name}, fan-out {chains}" if chains else offered.name
        plans = [planned(offered, len(part.members), chains or CHAINS[0], _least_bytes(part)) for part in parts]
        reasons = [plan.reason for plan in plans if isinstance(plan, Unplanned)]
        pieces = tuple(
            Algorithm(name, plan.rule, plan.trees or {}) for plan in plans if not isinstance(plan, Unplanned)
        )
        is_cut = offered.number is not None and (offered.operation, offered.number) in CUT
        for length in [0, *(length for length in SEGMENTS if is_cut and 2 * length <= longest_payload)]:
            form = Form(
                f"{name}, segments of {length} bytes" if length else name,
                tuple(choices_of(library, offered, parts, chains, length)),
                extra_settings,
            )
            in_segments = tuple(segmented(piece, length) if length else piece for piece in pieces)
            yield replace(form, reason=reasons[0]) if reasons else replace(form, pieces=in_segments)


def _least_bytes(part: Subject) -> int | None:
    return min(payloads_of(part)) if part.op != "MPI_Barrier" else None
