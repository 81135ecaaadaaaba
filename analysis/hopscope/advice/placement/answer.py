"""Sentences that say if another rank order is worth it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hopscope.format.quantities import alike, interval, number, plural, share
from hopscope.replay.candidate import Candidate

NO_ORDER = "no order was found that spends less time on links"
NO_WAIT = "no rank waited for a message"
ONE_HOST = "all ranks are on one host"
WITHOUT_MESSAGES = "without the application's messages, an order that suits its collectives may be worse for the rest"


def sentences_of(
    rows: list[dict[str, Any]], baseline: Candidate, order: Candidate, error: float, measure: str
) -> Iterator[str]:
    """The effect and the gain of the new order, or the reason for none. measure: the command that measures it."""
    reason = order.reason_unpredicted
    slow = next((row for row in rows if row["messages"] or row["new_messages"]), rows[0])
    moved = f"{plural(slow['messages'], slow['link'] + ' message')} become {number(slow['new_messages'])}"
    if reason in (ONE_HOST, NO_ORDER, WITHOUT_MESSAGES):
        yield f"Leave the order as it is: {reason}."
        return
    if rows[-1]["predicted_ns"] is not None:
        old_time, new_time = alike("ns", rows[-1]["predicted_ns"], rows[-1]["new_predicted_ns"])
        moved += f"; the time on links, summed over all messages, goes from {old_time} to {new_time}"
    if reason is not None:
        yield f"{moved}."
        yield f"The gain of the run is not predicted: {reason}. Measure it: `{measure}`."
        return
    old_time, new_time = alike("ns", baseline.predicted_ns, order.predicted_ns)
    gain = order.predicted_gain or 0.0
    predicted = (
        f"he run is predicted to take {new_time}, not {old_time}: {share(abs(gain))} {'less' if gain >= 0 else 'more'} "
        f"(gain {interval(order.gain_low or 0.0, order.gain_high or 0.0)}, error {share(error)})"
    )
    if order.is_suggested:
        yield f"{moved}."
        yield f"T{predicted}. Measure it: `{measure}`."
    else:
        yield f"Leave the order as it is: {moved}, but t{predicted}."
    if order.extrapolates:
        yield f"The run did not measure {' and '.join(order.extrapolates)}, which the new order uses."
