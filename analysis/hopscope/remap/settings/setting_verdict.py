"""What is said of the algorithms of an MPI library: which one to set, or to leave it as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from hopscope.quantities import alike, in_words, interval, share
from hopscope.remap.judging.guesses import Guesses
from hopscope.remap.judging.verdict import (
    LIBRARY,
    PartGain,
    Row,
    caveats_of,
    each_of,
    per_iteration,
    unpredicted,
    within_chance,
)

if TYPE_CHECKING:
    from hopscope.remap.judging.choosing import Lever
    from hopscope.remap.settings.levers import Reached

ENGINE = "Hopscope's engine"


def setting_sentence(
    rows: Sequence[Row],
    op: str,
    guessed: Mapping[str, Guesses],
    hosts: Sequence[str],
    *,
    library: str,
    ran: str,
    unknown: str | None = None,
    parts: Sequence[str] = (),
    commands: Sequence[str] = (),
) -> str:
    """rows: those that were judged, in the order of `judge`, with the ends of their gains. guessed: what each candidate
    leans on without a measurement, by its name. library: as in `Open MPI 5.0.11`. ran: LIBRARY or ENGINE. unknown:
    why nothing can be predicted, if so. parts: what can be predicted and is set together, if that is more than the
    operation. commands: what is worth a run where nothing can be predicted."""
    best, today = rows[0], next(row for row in rows if row["today"])
    others = [row for row in rows if not row["today"]]
    took, replayed = alike("ns", best["measured_ns"], today["predicted_ns"])
    run = (
        f"The run took {took} per iteration by {ran}, and its replay {replayed}, so the model errs by "
        f"{share(best['model_error'])}"
    )
    of = in_words(parts or [op])
    if unknown is not None:
        return unpredicted(of, f"{unknown}. {run}", commands)
    if best["chosen"]:
        said = f"{_predicted(best, op, f', of {library},' if parts else f' of {library}')}. {run}{_much(best)}"
        fastest = min(others, key=lambda row: row["predicted_ns"])
        (least,) = alike("ns", fastest["predicted_ns"])
        said += caveats_of(best, fastest, least, guessed, hosts)
    elif others:
        first = others[0]
        leave = f"Leave {of} as {'they are' if len(parts) > 1 else 'it is'}"
        said = f"{leave}: of what {library} has, {_predicted(first, op)}. {run}{_much(first)}{within_chance(first)}"
        said += caveats_of(first, first, "", guessed, hosts)
    else:
        none = f"nothing that {library} has for {'them' if len(parts) > 1 else 'it'} can be"
        said = unpredicted(of, f"{none}. {run}", commands)
    if ran != LIBRARY:
        said += f" {library}'s own choice did not run here: trace the program without a tree to see what that takes."
    return said


def of_levers(
    best: Row, levers: Sequence[Lever], gains: Sequence[PartGain | None], reached: Sequence[Reached], filed: str
) -> str:
    """What each lever is good for where a combination is suggested, and why some were not judged. gains: None of one
    that stays as it is. filed: what the file has for one."""
    unknown = [one for one in reached if one.why]
    without = {place for one in unknown for place in one.places}
    judged = [at for at, lever in enumerate(levers) if not without & {*lever.places}]
    said = ""
    if best["chosen"] and judged:
        said = " " + each_of([levers[at].label for at in judged], best, [gains[at] for at in judged], filed)
    return said + "".join(f" {one.label} cannot be predicted: {one.why}." for one in unknown)


def _predicted(row: Row, op: str, of: str = "") -> str:
    """of: whose algorithm it is."""
    (took,) = alike("ns", row["predicted_ns"])
    within = interval(row["predicted_low_ns"], row["predicted_high_ns"], "ns")
    return f"{row['name']}{of} would take {took} ({within}) {per_iteration(row, op)}"


def _much(row: Row) -> str:
    """What that is against the replay, of which the gain is told, and against the run, of which its ends are."""
    of_run = _changes(row["gain_low"], row["gain_high"])
    return f": that is {_change(row['gain'])} than the replay, and {of_run} than the run."


def _change(gain: float) -> str:
    return f"{share(abs(gain))} {'less' if gain >= 0 else 'more'}"


def _changes(low: float, high: float) -> str:
    """Between two gains, of which the lower one may be a loss."""
    if low < 0 <= high:
        return f"from {_change(low)} to {_change(high)}"
    return f"{interval(low, high)} less" if low >= 0 else f"{interval(-high, -low)} more"
