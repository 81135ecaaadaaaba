"""The algorithms of an MPI library, each as a setting that forces it and, if the planner knows it, as a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopscope.advice.pipeline import Proposal
from hopscope.mpi_libraries.offered import Library, Offered, operation_name
from hopscope.mpi_libraries.open_mpi.algorithms import CUT
from hopscope.mpi_libraries.planned import Unplanned, messages_name, planned
from hopscope.mpi_libraries.written import Choice
from hopscope.replay.algorithms.algorithm import SEGMENTS, Algorithm, longest, segmented
from hopscope.replay.algorithms.schedule import fingerprint
from hopscope.replay.basis import Basis
from hopscope.replay.parts import ends_in_rules, payloads_of
from hopscope.replay.run.subject import Subject, algorithms_of

CHAINS = (2, 4, 8)
"""Fan-outs of Open MPI's `chain`."""
_IN_GROUPS = "other components choose the algorithms that it calls inside hosts and between them"


def proposals_of(library: Library, parts: Sequence[Subject]) -> Iterator[Proposal]:
    """Proposals of every algorithm that the library has for the operation of these selections, with whole and with
    segmented messages. parts: the selections."""
    operation = operation_name(parts[0].op)
    for offered in library.algorithms:
        if offered.operation == operation:
            yield from _of_algorithm(library, offered, parts)
    for offered in library.in_groups:
        if offered.operation == operation and any(len(set(part.hosts)) > 1 for part in parts):
            yield Proposal(offered.name, (), besides=((offered.setting, str(offered.number)),), reason=_IN_GROUPS)


def choices_of(
    library: Library, offered: Offered, parts: Sequence[Subject], chains: int = 0, length: int = 0
) -> tuple[Choice, ...]:
    """The choices that make the library run an algorithm for these selections. chains: the fan-out. length: of a
    segment, in bytes. 0 leaves the value to the library."""
    ranks = sorted({len(part.members) for part in parts})
    return choices_for(library, offered, ranks, ends_in_rules(parts), chains=chains, length=length)


def choices_for(
    library: Library,
    offered: Offered,
    sizes: Sequence[int],
    ends: tuple[int, int | None],
    *,
    chains: int = 0,
    length: int = 0,
) -> tuple[Choice, ...]:
    """The choices that make the library run an algorithm: one for each of `sizes`, the numbers of ranks. MPICH's
    variables depend on neither ranks nor bytes, so one choice is enough there. ends: the least and the most bytes, as
    the library counts them."""
    if library.flavour != "openmpi":
        return (Choice(offered, sizes[0]),)
    return tuple(Choice(offered, ranks, *ends, chains, length) for ranks in sizes)


def _of_algorithm(library: Library, offered: Offered, parts: Sequence[Subject]) -> Iterator[Proposal]:
    """The proposals for one algorithm: one for each fan-out and segment length."""
    ranks = min(len(part.members) for part in parts)
    longest_payload = max(size for part in parts for size in payloads_of(part))
    takes_chains = offered.name == "chain" and offered.number is not None
    is_cut = offered.number is not None and (offered.operation, offered.number) in CUT
    for chains in [fan_out for fan_out in CHAINS if fan_out < ranks - 1] if takes_chains else [0]:
        name = f"{offered.name}, fan-out {chains}" if chains else offered.name
        plans = [planned(offered, len(part.members), chains or CHAINS[0], _least_bytes(part)) for part in parts]
        reason = next((plan.reason for plan in plans if isinstance(plan, Unplanned)), None)
        pieces = [Algorithm(name, plan.rule, plan.trees or {}) for plan in plans if not isinstance(plan, Unplanned)]
        for length in [0, *(length for length in SEGMENTS if is_cut and 2 * length <= longest_payload)]:
            yield Proposal(
                f"{name}, segments of {length} bytes" if length else name,
                () if reason else tuple(segmented(piece, length) if length else piece for piece in pieces),
                choices_of(library, offered, parts, chains, length),
                library.besides(offered.operation),
                reason,
            )


def _least_bytes(part: Subject) -> int | None:
    return min(payloads_of(part)) if part.op != "MPI_Barrier" else None


def repeated_reason(proposal: Proposal, parts: Sequence[Subject], fingerprints: set[tuple[bytes, ...]]) -> str | None:
    """The reason not to predict a proposal: it has no schedule here, or sends the same messages as an earlier proposal.
    None if it can be predicted. fingerprints: of the earlier proposals; this proposal's fingerprint is added."""
    pairs = zip(proposal.pieces, parts, strict=True)
    try:
        key = tuple(fingerprint(piece.schedules(part, longest(part))) for piece, part in pairs)
    except ValueError as problem:
        return f"the plan has no schedule for it here: {problem}"
    if key in fingerprints:
        return "here it sends the same messages as another candidate"
    fingerprints.add(key)
    return None


def baseline_reason(basis: Basis, proposal: Proposal, parts: Sequence[Subject]) -> str | None:
    """The reason not to predict a proposal that is the baseline's algorithm; None if it is another algorithm."""
    (choice, *further) = proposal.choices
    for part in parts:
        recorded = {*algorithms_of(basis.source.tables, part)}
        is_single = not further and choice.algorithm.operation == operation_name(part.op) and not choice.segment_bytes
        if not is_single or None in recorded or recorded != {messages_name(choice.algorithm, len(part.members))}:
            return None
    return "it is the baseline"
