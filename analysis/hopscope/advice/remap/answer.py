"""A suggestion as a table, with the sentence on it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.advice.remap.suggest import Suggestion
from hopscope.dataset.path_columns import integers
from hopscope.format.quantities import alike, interval, number, plural, share
from hopscope.mpi_libraries.written import setting_file
from hopscope.replay.algorithms.tree_file import checked
from hopscope.replay.candidate import Candidate
from hopscope.replay.run.operations import REDUCING
from hopscope.replay.run.program import Source, carried_of, operations_of
from hopscope.vocabulary.words import tune_command

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("baseline", pa.bool_()),
        ("predicted_ns", pa.float64()),
        ("predicted_low_ns", pa.float64()),
        ("predicted_high_ns", pa.float64()),
        ("measured_ns", pa.float64()),
        ("gain", pa.float64()),
        ("gain_low", pa.float64()),
        ("gain_high", pa.float64()),
        ("model_error", pa.float64()),
        ("depth", pa.int32()),
        ("wan_crossings", pa.int32()),
        ("wan_messages", pa.int32()),
        ("extrapolates", pa.string()),
        ("chosen", pa.bool_()),
        ("comm", pa.int32()),
        ("operation", pa.string()),
        ("bytes_min", pa.int64()),
        ("bytes_max", pa.int64()),
        ("not_predicted", pa.string()),
    ]
)
MOST_UNSEEN = 0.1
"""A larger share of an operation's collectives is worth a sentence. The first ones, in which a library sets itself up,
are always without their messages."""


def table_of(suggestion: Suggestion, path: str) -> pa.Table:
    """The rows, the first candidate first, with the sentence and the suggested file. path: of the file."""
    candidates, suggested, model = suggestion.candidates, suggestion.suggested, suggestion.basis.model
    rows = [_row(suggestion, candidate) for candidate in candidates]
    baseline = _row(suggestion, suggestion.baseline) | {"baseline": True, "gain": 0.0}
    # The baseline stands among the predictions, where its time is.
    place = next(
        (number for number, row in enumerate(rows) if row["predicted_ns"] is None or (
            row["predicted_ns"] > model.baseline_ns and not row["chosen"]
        )),
        len(rows),
    )  # fmt: skip
    rows.insert(place, baseline)
    source = suggestion.basis.source
    metadata = {"sentence": sentence_of(suggestion), "ran": "native" if source.subject.native else "tree"}
    if suggestion.library is not None:
        metadata["launcher"] = suggestion.library.launcher
    if suggestion.drawing and place:
        metadata["parents"] = json.dumps({"comm": source.subject.comm, **suggestion.drawing})
    if suggested is not None and suggested.tree is not None:
        metadata["tree"] = checked(suggested.tree)
    elif suggested is not None:
        setting = setting_file(suggested.choices, path, suggested.besides)
        metadata |= {"setting": setting.text, "words": setting.words, "operations": ", ".join(suggested.operations)}
    return pa.Table.from_pylist(rows, schema=SCHEMA).replace_schema_metadata(metadata)


def _row(suggestion: Suggestion, candidate: Candidate) -> dict[str, Any]:
    model, ends = suggestion.basis.model, candidate.bytes or (None, None)
    return {
        "name": candidate.name,
        "baseline": False,
        "predicted_ns": candidate.predicted_ns,
        "predicted_low_ns": candidate.predicted_low_ns,
        "predicted_high_ns": candidate.predicted_high_ns,
        "measured_ns": model.measured_ns,
        "gain": candidate.predicted_gain,
        "gain_low": candidate.gain_low,
        "gain_high": candidate.gain_high,
        "model_error": model.error,
        "depth": candidate.structure.depth,
        "wan_crossings": candidate.structure.wan_crossings,
        "wan_messages": candidate.structure.wan_messages,
        "extrapolates": "; ".join(candidate.extrapolates) or None,
        "chosen": candidate.is_suggested,
        "comm": candidate.comm,
        "operation": ", ".join(candidate.operations) or None,
        "bytes_min": ends[0],
        "bytes_max": ends[1],
        "not_predicted": candidate.reason_unpredicted,
    }


def sentence_of(suggestion: Suggestion) -> str:
    """The suggestion, or the reason for none, and the next step."""
    basis, source = suggestion.basis, suggestion.basis.source
    op, model, noun = source.subject.op, basis.model, suggestion.kind
    predicted = [candidate for candidate in suggestion.candidates if candidate.predicted_ns is not None]
    took, replayed = alike("ns", model.measured_ns, model.baseline_ns)
    runner = "the MPI library" if source.subject.native else "Hopscope's engine"
    run = f"The run took {took} by {runner}, its replay {replayed} (error {share(model.error)})."
    options = ["--engine"] if suggestion.kind == "tree" else []
    measure = f"Measure it: `{tune_command(source.tables['run'].to_pylist()[0], *options)}`."
    reasons = {candidate.reason_unpredicted for candidate in suggestion.candidates} - {None}
    if not suggestion.candidates:
        return f"There is no other {noun} for {op}. {run}"
    if not predicted:
        reason = next(
            (reason for place in range(len(basis.late_shares)) if (reason := basis.reason_unpredicted(place))), None
        )
        explanation = reason or "; ".join(sorted(map(str, reasons)))
        return f"{op} cannot be predicted: {explanation}. {run} {measure}{_limits(suggestion)}"
    best = predicted[0]
    (time,) = alike("ns", best.predicted_ns)
    bounds = interval(best.predicted_low_ns or 0.0, best.predicted_high_ns or 0.0, "ns")
    gain = best.predicted_gain or 0.0
    change = f"{share(abs(gain))} {'less' if gain >= 0 else 'more'} than the baseline"
    library = f" of {suggestion.library.name}" if suggestion.library else ""
    prediction = f"{best.name}{library} would take {time} ({bounds}) per iteration of {op}, {change}"
    answer = f"{prediction}." if best.is_suggested else f"No {noun} is suggested: the best candidate, {prediction}."
    if best.extrapolates:
        answer += f" The run did not measure {'; '.join(best.extrapolates)}."
    answer += f" {run} {measure}"
    if best.is_suggested and {*best.operations} & {*REDUCING}:
        answer += " Sums are added in another order, so their last digits may change."
    return answer + _limits(suggestion)


def _limits(suggestion: Suggestion) -> str:
    """Omissions of an answer. Begins with a space if there are any."""
    basis = suggestion.basis
    sentences = [f"{op} is left out: {reason}." for op, reason in basis.source.subject.untold]
    if basis.costs.machine.has_traces:
        sentences.append("Every prediction takes the emulated traces' means, not their turns.")
    return "".join(f" {sentence}" for sentence in (*sentences, *_unseen(basis.source)))


def _unseen(source: Source) -> list[str]:
    """Sentences on operations of the library of which the trace has only few whole collectives."""
    if not source.subject.native:
        return []
    carried, _ = carried_of(source.tables, source.arrays)
    collectives, comms = source.tables["collectives"], source.tables["comms"]
    ops = operations_of(collectives)
    between_groups = integers(comms.filter(pc.is_valid(comms["second_group"])), "comm")
    eligible = (integers(collectives, "comm_size") > 1) & ~np.isin(integers(collectives, "comm"), between_groups)
    sentences: list[str] = []
    for op in sorted({part.op for part in source.subject.selections}):
        selection = eligible & (ops == op)
        whole, total = int((selection & carried).sum()), int(selection.sum())
        if total - whole > MOST_UNSEEN * total:
            sentences.append(
                f"The trace has all messages of only {number(whole)} of {plural(total, 'collective')} of {op}; "
                "`analyze caveats` says what it lacks."
            )
    return sentences
