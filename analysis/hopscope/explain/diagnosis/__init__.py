"""`analyze diagnose`: what is wrong with a run, where, what it costs and what to do.

entry      one cause and its severity
rerun      a replay of the recorded run without a cause
core_use   the use of cores by ranks that compute longer than others
sites      the computing of each rank at each site
computing  causes in computing
functions  the functions in which ranks compute longer
messages   causes in messages and in other MPI
algorithms collectives whose algorithm loses to another
overlap    nonblocking collectives that make no progress while their ranks compute
hosts      causes in hosts and in the links between them
causes     all causes that the run has, with their costs
conditions conditions that qualify the other numbers
sentences  the text of each entry
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Final

import pyarrow as pa

from hopscope.explain.diagnosis.causes import causes_in
from hopscope.explain.diagnosis.conditions import conditions_in, unfinished_in
from hopscope.explain.diagnosis.entry import Entry, Facts, severity
from hopscope.explain.diagnosis.sentences import Words
from hopscope.query.header import Scalar

Row = dict[str, Any]
Read = Callable[[str], pa.Table]

_RANKS_NAMED: Final = 64
"""The largest number of ranks that an entry lists."""


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar], read: Read) -> list[Row]:
    """One row per entry, in reading order; `rows` has one row with the facts of the run."""
    del base, parameters
    facts = Facts(**{field.name: rows[field.name][0].as_py() for field in fields(Facts)})
    limits = read("limits").sort_by([("place", "ascending"), ("sentence", "ascending")]).to_pylist()
    entries = [*unfinished_in(limits), *causes_in(facts, read), *conditions_in(facts, limits)]
    words = Words(facts, read("places"))
    return [_row(entry, facts, words) for entry in in_order(entries, facts)]


def in_order(entries: Sequence[Entry], facts: Facts) -> list[Entry]:
    """The entries in reading order: an unfinished run, then causes by cost, then conditions. If no cause is worth a
    note, the entry `balanced` comes first."""
    causes = [entry for entry in entries if not entry.is_condition and entry.kind != "balanced"]
    is_balanced = all(severity(entry, facts.run_ns) == "OK" for entry in causes)
    first = [entry for entry in entries if entry.kind == "balanced" and is_balanced]
    ordered = sorted(causes, key=lambda entry: (entry.kind != "unfinished", -(entry.cost.ns if entry.cost else 0)))
    return [*first, *ordered, *(entry for entry in entries if entry.is_condition)]


def _row(entry: Entry, facts: Facts, words: Words) -> Row:
    cost, text = entry.cost, words.text_of(entry)
    return {
        "kind": entry.kind,
        "severity": severity(entry, facts.run_ns),
        "sentence": text.sentence,
        "evidence": text.evidence,
        "action": text.action,
        "cost_ns": cost.ns if cost else None,
        "cost_low_ns": cost.low_ns if cost else None,
        "cost_high_ns": cost.high_ns if cost else None,
        "cost_share": cost.ns / facts.run_ns if cost else None,
        "ranks": list(entry.ranks[:_RANKS_NAMED]),
        "hosts": list(entry.hosts),
        "call_sites": [words.site(site) for site in entry.sites],
        "functions": list(entry.functions),
        "core_use": entry.core_use.word if entry.core_use else None,
        "iterations": entry.iterations[2] if entry.iterations else None,
        "first_iteration": entry.iterations[0] if entry.iterations else None,
        "last_iteration": entry.iterations[1] if entry.iterations else None,
    }
