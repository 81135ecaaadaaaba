"""Rows and sentences of a suggestion of trees or settings, as `analyze remap` shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hopscope.dataset.path_columns import integers
from hopscope.format.quantities import alike, interval, number, plural, share
from hopscope.mpi_libraries.offered import Library
from hopscope.query import catalog, row_table
from hopscope.replay.basis import Basis
from hopscope.replay.candidate import Candidate, Kind
from hopscope.replay.prediction import Model
from hopscope.replay.run.operations import REDUCING
from hopscope.replay.run.subject import Source, carried_of, operations_of
from hopscope.vocabulary.words import tune_command

MOST_UNSEEN = 0.1
"""If the trace lacks the messages of more than this share of an operation's collectives, the answer says so. The first
collectives always lack them, because a library sets itself up there."""


def table_of(
    basis: Basis,
    baseline: Candidate,
    candidates: Sequence[Candidate],
    drawing: dict[str, Any] | None,
    library: Library | None = None,
) -> pa.Table:
    """The table of `analyze remap`: the candidates, with the baseline before the first one that is slower or has no
    prediction. drawing: the first candidate's trees."""
    slower = (
        place
        for place, candidate in enumerate(candidates)
        if not candidate.is_suggested
        and (candidate.predicted_ns is None or candidate.predicted_ns > basis.model.baseline_ns)
    )
    place = next(slower, len(candidates))
    ordered = [*candidates[:place], baseline, *candidates[place:]]
    rows = [_row(basis.model, candidate) | {"baseline": candidate is baseline} for candidate in ordered]
    subject = basis.source.subject
    metadata = {"ran": "native" if subject.native else "tree"}
    if library is not None:
        metadata["launcher"] = library.launcher
    if drawing and place:
        metadata["parents"] = json.dumps({"comm": subject.comm, **drawing})
    return row_table.table_of(catalog.load().computed["remap"].default.columns, rows).replace_schema_metadata(metadata)


def _row(model: Model, candidate: Candidate) -> dict[str, Any]:
    least, most = candidate.bytes or (None, None)
    return {
        "name": candidate.name,
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
        "bytes_min": least,
        "bytes_max": most,
        "not_predicted": candidate.reason_unpredicted,
    }


def sentences_of(basis: Basis, kind: Kind, candidates: Sequence[Candidate], library: Library | None) -> Iterator[str]:
    """Sentences on the suggestion or the reason for none, on the next step, and then on omissions."""
    model, subject, tables = basis.model, basis.source.subject, basis.source.tables
    op, best = subject.op, next(iter(candidates), None)
    took, replayed = alike("ns", model.measured_ns, model.baseline_ns)
    runner = "the MPI library" if subject.native else "Hopscope's engine"
    run = f"The run took {took} by {runner}, its replay {replayed} (error {share(model.error)})."
    measure = f"Measure it: `{tune_command(tables['run'].to_pylist()[0], *(['--engine'] if kind == 'tree' else []))}`."
    if best is None:
        yield f"There is no other {kind} for {op}. {run}"
        return
    if best.predicted_ns is None:
        of_selections = map(basis.reason_unpredicted, range(len(basis.late_shares)))
        reasons = {candidate.reason_unpredicted for candidate in candidates}
        explanation = next(filter(None, of_selections), None) or "; ".join(sorted(map(str, reasons)))
        yield f"{op} cannot be predicted: {explanation}. {run} {measure}"
    else:
        (time,) = alike("ns", best.predicted_ns)
        bounds = interval(best.predicted_low_ns or 0.0, best.predicted_high_ns or 0.0, "ns")
        gain = best.predicted_gain or 0.0
        name = f"{best.name} of {library.name}" if library else best.name
        prediction = f"{name} would take {time} ({bounds}) per iteration of {op}, {share(abs(gain))}"
        prediction += f" {'less' if gain >= 0 else 'more'} than the baseline."
        yield prediction if best.is_suggested else f"No {kind} is suggested: the best candidate, {prediction}"
        if best.extrapolates:
            yield f"The run did not measure {'; '.join(best.extrapolates)}."
        yield f"{run} {measure}"
        if best.is_suggested and {*best.operations} & {*REDUCING}:
            yield "Sums are added in another order, so their last digits may change."
    for left_out, reason in subject.untold:
        yield f"{left_out} is left out: {reason}."
    if basis.costs.machine.has_traces:
        yield "Every prediction uses the mean of each emulated trace, not its course over time."
    yield from _unseen(basis.source)


def _unseen(source: Source) -> Iterator[str]:
    """Sentences on operations run by the library for which the trace lacks the messages of many collectives."""
    if not source.subject.native:
        return
    carried, _ = carried_of(source.tables, source.arrays)
    collectives, comms = source.tables["collectives"], source.tables["comms"]
    ops = operations_of(collectives)
    between_groups = integers(comms.filter(pc.is_valid(comms["second_group"])), "comm")
    eligible = (integers(collectives, "comm_size") > 1) & ~np.isin(integers(collectives, "comm"), between_groups)
    for op in sorted({part.op for part in source.subject.selections}):
        selection = eligible & (ops == op)
        whole, total = int((selection & carried).sum()), int(selection.sum())
        if total - whole > MOST_UNSEEN * total:
            yield (
                f"The trace has all messages of only {number(whole)} of {plural(total, 'collective')} of {op}; "
                "`analyze trust` says what it lacks."
            )
