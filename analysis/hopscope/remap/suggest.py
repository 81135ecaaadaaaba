"""Judges candidate trees by replaying the run, and suggests one if it gains more than the model errs."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa

from hopscope.remap.candidates.candidate import Candidate
from hopscope.remap.candidates.combination import Combination
from hopscope.remap.candidates.pool import pool_of
from hopscope.remap.candidates.recorded import Recorded
from hopscope.remap.candidates.tree_file import text_of, tree_file_of, words_of
from hopscope.remap.judging.basis import alike_of, basis_of, with_known_parts
from hopscope.remap.judging.judge import screen_of
from hopscope.remap.judging.listing import SCHEMA, SPREAD_WINDOW, Listing
from hopscope.remap.judging.missing import missing_of
from hopscope.remap.judging.tried import tried_of, with_engine
from hopscope.remap.judging.verdict import LIBRARY, limits_of, over_trees, rounding_of, sentence_of
from hopscope.remap.run.program import Source
from hopscope.remap.run.unseen import unseen_sentences
from hopscope.remap.together import suggest_together


def suggest(
    table: Callable[[str], pa.Table],
    tries: int,
    run_over_tree: Callable[[str], pa.Table] | None = None,
    only: Collection[str] | None = None,
    *,
    machine: Mapping[str, Any] | None = None,
) -> pa.Table:
    """See `hopscope.remap.remap`, which writes the tree file."""
    basis = basis_of(table, machine, with_known_parts if run_over_tree is None else None)
    if isinstance(basis.today, Combination):
        return suggest_together(basis, basis.today, tries, only)
    source, fitted, today, whole, error = basis.source, basis.fitted, basis.today, basis.whole, basis.error
    subject = source.subject
    tried = tried_of(run_over_tree, source) if run_over_tree else None
    # What runs over a tree: on the machine as the engine measured it, where it did.
    engine, over = fitted, [] if isinstance(today, Recorded) else [today]
    if tried is not None:
        typical, low, high = map(with_engine, fitted, tried.costs)
        engine, over = (typical, low, high), [tried.candidate]
        error = max(error, abs(whole.iteration_ns(tried.candidate, engine[0]) - tried.time_ns) / tried.time_ns)
    alike = alike_of(error)
    screen = screen_of(source, whole, today, fitted[0])
    pool = pool_of(subject, screen, over, engine[0], tries=tries, alike=alike, only=only)
    candidates = [*pool.candidates, *([tried.candidate] if tried else [])]
    why = basis.why_unpredictable if tried is None else None
    listing = Listing(
        source,
        screen,
        screen.window(SPREAD_WINDOW),
        today,
        candidates,
        fitted,
        engine,
        basis.measured_ns,
        error,
        basis.spread,
        tried,
    )
    rows, order, guessed = listing.judged(alike, is_known=why is None)
    best = (today, *candidates)[order[0]]
    ordered = [rows[i] for i in order]
    result = pa.Table.from_pylist(ordered, schema=SCHEMA)
    ran = LIBRARY if subject.native else "today's tree"
    said = sentence_of(ordered, subject.op, guessed, source.places.hosts, ran=ran, tried=tried)
    if why:
        others = [candidates[place - 1] for place in order if place]
        said = over_trees(subject.op, why, words_of(others), ran=ran)
    said += rounding_of(subject.operations) if why or rows[order[0]]["chosen"] else ""
    said += limits_of(engine[0], subject.untold, left_out=pool.left_out) + unseen_sentences(source)
    if tried is not None and best is tried.candidate:
        best = replace(best, name=tried.tree)
    metadata = {b"sentence": said.encode(), b"ran": b"native" if subject.native else b"tree"}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places, engine[0])).encode()
    metadata |= _of_best(best, source, is_chosen=rows[order[0]]["chosen"])
    return result.replace_schema_metadata(metadata)


def _of_best(best: Candidate | Recorded, source: Source, *, is_chosen: bool) -> dict[bytes, bytes]:
    """The first row's trees, and the tree file if it is suggested."""
    if isinstance(best, Recorded):
        return {}
    found: dict[bytes, bytes] = {}
    drawing = best.drawing(source.subject)
    if drawing:
        found[b"parents"] = json.dumps({"comm": source.subject.comm, **drawing}).encode()
    if is_chosen:
        ran = source.tables["run"]["tree_file"].to_pylist()[0]
        found[b"tree"] = text_of(tree_file_of(best, source, ran)).encode()
    return found
