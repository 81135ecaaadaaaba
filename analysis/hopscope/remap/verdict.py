"""Which of the candidates is suggested, in which order they are listed, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.model.costs import HostPair

LEAST_GAIN = 0.01
"""Gains below this share are not suggested however good the model is."""
NAMED_PAIRS = 4
"""So many pairs of hosts are named in the sentence before the rest is counted."""

Row = dict[str, Any]


def judge(rows: Sequence[Row], alike: float) -> list[int]:
    """Marks the row that is suggested, if any is, and gives the order of the rows: it first, then the fastest first.

    Of trees that gain more than the model errs, one that uses no pair of hosts without a measurement goes before all
    that do, however much faster these seem. One that does is suggested only if it gains with those pairs as slow as
    any that was measured. alike: predictions closer than this share count as equal.
    """
    order = _order(rows, range(len(rows)), alike)
    measured = [i for i, row in enumerate(rows) if row["today"] or not row["unmeasured_pairs"]]
    for best in (_order(rows, measured, alike)[0], order[0]):
        if not rows[best]["today"] and _gains(rows[best]):
            rows[best]["chosen"] = True
            return [best, *(i for i in order if i != best)]
    return order


def _gains(row: Row) -> bool:
    predicted = row["predicted_high_ns"] if row["unmeasured_pairs"] else row["predicted_ns"]
    return 1 - predicted / row["predicted_ns"] * (1 - row["gain"]) > max(row["model_error"], LEAST_GAIN)


def _order(rows: Sequence[Row], of: Sequence[int], share: float) -> list[int]:
    """The fastest first; of those that the model cannot tell apart, fewest unmeasured pairs, fewest WAN messages,
    plainest shape."""
    alike = (1 + share) * min(rows[i]["predicted_ns"] for i in of)

    def rank(i: int) -> tuple[float, ...]:
        row = rows[i]
        if row["predicted_ns"] > alike:
            return (1, row["predicted_ns"], i)
        return (0, row["unmeasured_pairs"], row["wan_messages"], round(row["predicted_ns"] / alike, 3), i)

    return sorted(of, key=rank)


def sentence_of(
    rows: Sequence[Row], op: str, unmeasured: Mapping[str, Sequence[HostPair]], hosts: Sequence[str]
) -> str:
    """What is suggested, or why nothing is. rows: in the order of `judge`; unmeasured: the pairs of hosts (numbers)
    that each tree uses without a measurement, by the tree's name; hosts: their names."""
    best, today = rows[0], next(row for row in rows if row["today"])
    now = (
        f"today's tree takes {_ms(today['predicted_ns'])} in the same replay and took {_ms(best['measured_ns'])} in "
        f"the run: the model errs by {best['model_error']:.1%}"
    )
    if best is today:
        return f"No tree is suggested: per iteration of {op} {now}, and no candidate is faster by more."
    would = f"{best['name']} would take {_ms(best['predicted_ns'])} per iteration of {op}"
    fastest = min(rows, key=lambda row: row["predicted_ns"])
    if not best["chosen"]:
        said = f"No tree is suggested: the best candidate, {would}; {now}."
    else:
        said = f"{would}, {best['gain']:.0%} less; {now}."
        if fastest["predicted_ns"] < best["predicted_ns"] and not fastest["unmeasured_pairs"]:
            said += " Of the trees that the model cannot tell apart it has the fewest WAN messages."
    if best["unmeasured_pairs"]:
        said += f" It {_leans(best, unmeasured, hosts)}: run it once and compare before you rely on it."
    elif fastest["unmeasured_pairs"]:
        seems = f"{fastest['name']} would take {_ms(fastest['predicted_ns'])}"
        said += f" {seems}, but it {_leans(fastest, unmeasured, hosts)}."
    return said


def _leans(row: Row, unmeasured: Mapping[str, Sequence[HostPair]], hosts: Sequence[str]) -> str:
    """That a tree uses pairs of hosts that no hop measured, and what it would take by what others of the class took."""
    pairs = [f"{hosts[a]}-{hosts[b]}" for a, b in unmeasured[row["name"]]]
    named = ", ".join(pairs[:NAMED_PAIRS])
    if len(pairs) > NAMED_PAIRS:
        named += f" and {len(pairs) - NAMED_PAIRS} more"
    number = "a pair" if len(pairs) == 1 else f"{len(pairs)} pairs"
    low, high = _ms(row["predicted_low_ns"]), _ms(row["predicted_high_ns"])
    return (
        f"uses {number} of hosts that no hop has measured ({named}): {low if low == high else f'{low} to {high}'} if "
        "such a link is like the measured ones of its class, longer without bound if it is slower"
    )


def _ms(time_ns: float) -> str:
    return f"{time_ns / 1e6:.3g} ms"
