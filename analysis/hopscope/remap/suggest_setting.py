"""Judges the algorithms that an MPI library has by replaying the run, and suggests the setting by which it runs one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope.catalog import parse
from hopscope.errors import InputError
from hopscope.quantities import duration, share
from hopscope.remap.basis import MOST_LATE, Basis, alike_of, basis_of
from hopscope.remap.guesses import missing_of
from hopscope.remap.held import held_ns
from hopscope.remap.judging import screen_of
from hopscope.remap.listing import SCHEMA, SPREAD_WINDOW, Listing, Row
from hopscope.remap.setting_verdict import ENGINE, setting_sentence
from hopscope.remap.settings import NotJudged, judged_of, setting_of
from hopscope.remap.settings_description import description_of
from hopscope.remap.tried import measured_interval
from hopscope.remap.verdict import LIBRARY
from hopscope.tuning.installed import installed

MOST_HELD = 0.1
"""Where one message holds its sender for a larger share of an iteration than the replay knows, that decides."""
PLACE = "FILE"
"""The file's name in the words where none is written."""


def suggest_setting(
    table: Callable[[str], pa.Table],
    flavour: str,
    output: Path | None,
    launcher: str | None,
    machine: Mapping[str, Any] | None = None,
) -> pa.Table:
    """See `hopscope.remap.remap`, which writes the setting to `output`."""
    basis = basis_of(table, machine)
    source, fitted = basis.source, basis.fitted
    run = source.tables["run"].to_pylist()[0]
    if run["emulated"]:
        raise InputError(
            "the run emulated links, which do not delay an MPI library's own messages, so no setting would gain what "
            "the replay says; trace the program on the machine itself or on `hopscope run --net`"
        )
    library = installed(flavour, run["mpi_library"], launcher)
    found = judged_of(library, source.subject, fitted[0])
    screen = screen_of(source, basis.whole, basis.today, fitted[0])
    listing = Listing(
        source,
        screen,
        screen.window(SPREAD_WINDOW),
        basis.today,
        found.candidates,
        fitted,
        fitted,
        basis.measured_ns,
        basis.error,
        basis.spread,
        None,
    )
    unknown = _unknown(basis)
    rows, order, guessed = listing.judged(alike_of(basis.error), is_known=unknown is None)
    _with_ends_of_gains(rows, measured_interval(source))
    ordered = [rows[i] for i in order]
    said = setting_sentence(
        ordered,
        source.subject.op,
        guessed,
        source.places.hosts,
        library=library.name,
        ran=LIBRARY if source.subject.native else ENGINE,
        unknown=unknown,
    )
    said += "".join(f" {op} is left out: {why}." for op, why in source.subject.untold)
    metadata = {b"sentence": said.encode(), b"launcher": library.launcher.encode()}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places)).encode()
    if ordered[0]["chosen"]:
        chosen = found.candidates[order[0] - 1]
        setting = setting_of(chosen, source.subject, library, str(output or PLACE))
        metadata |= {b"setting": setting.text.encode(), b"words": setting.words.encode()}
    return _table_of([*ordered, *map(_unjudged, found.others)], flavour).replace_schema_metadata(metadata)


def _unknown(basis: Basis) -> str | None:
    """Why this run does not show what another algorithm takes; None if it does."""
    if basis.late > MOST_LATE:
        return (
            f"{share(basis.late)} of its messages waited for their receives to be posted, and what that costs another "
            "algorithm this trace does not show"
        )
    if not basis.source.subject.native:
        return None
    held, link = held_ns(basis.source, basis.fitted[0])
    if held > MOST_HELD * basis.measured_ns:
        return (
            f"a message over a {link} link held its sender for {duration(held)}, and how often another algorithm waits "
            "for that this trace does not show"
        )
    return None


def _with_ends_of_gains(rows: list[Row], measured: tuple[float, float]) -> None:
    """Adds the ends of each row's gain, against what the run took. measured: the ends of that."""
    for row in rows:
        row["gain_low"] = row["gain_high"] = None
        if not row["today"]:
            row["gain_low"] = min(row["gain"], 1 - row["predicted_high_ns"] / measured[0])
            row["gain_high"] = max(row["gain"], 1 - row["predicted_low_ns"] / measured[1])


def _unjudged(one: NotJudged) -> Row:
    return {"name": one.name, "today": False, "chosen": False, "not_judged": one.reason}


def _table_of(rows: list[Row], flavour: str) -> pa.Table:
    added = {"gain_low": pa.float64(), "gain_high": pa.float64(), "not_judged": pa.string()}
    names = [column.name for column in parse("remap", description_of(flavour)).columns]
    types = {**{field.name: field.type for field in SCHEMA}, **added}
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, types[name]) for name in names]))
