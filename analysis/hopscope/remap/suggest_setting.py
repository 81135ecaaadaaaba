"""Judges the algorithms that an MPI library has by replaying the run, and suggests the setting by which they run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from hopscope.catalog import parse
from hopscope.errors import InputError
from hopscope.quantities import duration, plural, share
from hopscope.remap.candidates.combination import Combination, Runs, each_piece
from hopscope.remap.fitting.held import held_ns
from hopscope.remap.judging.basis import MOST_LATE, Basis, alike_of, basis_of
from hopscope.remap.judging.choosing import Choice
from hopscope.remap.judging.guesses import measured_of
from hopscope.remap.judging.judge import screen_of
from hopscope.remap.judging.listing import SCHEMA, SPREAD_WINDOW, Listing, Row, columns_of
from hopscope.remap.judging.missing import missing_of
from hopscope.remap.judging.tried import algorithm_of, measured_interval
from hopscope.remap.judging.verdict import LEAST_GAIN, LIBRARY, rounding_of, worth_a_run
from hopscope.remap.run.program import NothingToFitError, Subject
from hopscope.remap.run.unseen import unseen_sentences
from hopscope.remap.settings.forced import Forced, forms, judged_of, setting_of
from hopscope.remap.settings.hierarchical import Hierarchical, hierarchical
from hopscope.remap.settings.levers import Reached, levers_of
from hopscope.remap.settings.reach import changed_besides, labels_of_reached, reached_together, with_reached_parts
from hopscope.remap.settings.setting_verdict import ENGINE, of_levers, setting_sentence
from hopscope.remap.settings.settings_description import description_of
from hopscope.remap.settings.worth_a_run import commands_of
from hopscope.tuning.installed import installed
from hopscope.tuning.offered import Library

MOST_HELD = 0.1
"""Where one message holds its sender for a larger share of an iteration than the replay knows, that decides."""
LONG_GAIN = 0.1
"""Where messages wait for an answer, gains below this share are not suggested, and two runs may be so far apart: over
TCP, the same message takes longer or less long by what went over its connection before."""
MOST_OFF = 0.25
"""Where messages that wait for an answer are replayed, and what ran is off by more, another algorithm may be too."""
PLACE = "FILE"
"""The file's name in the words where none is written."""
FILED = {"openmpi": "rule", "mpich": "variable"}
"""What the file has for a part."""
SHOWN_BY = {
    "openmpi": "run the program again with HOPSCOPE_NATIVE=1, the default, which records Open MPI's own messages",
    "mpich": "run the program again with HOPSCOPE_NATIVE=mpich, which records MPICH's own messages",
}
"""How a trace comes to have a library's own messages."""


def suggest_setting(
    table: Callable[[str], pa.Table],
    flavour: str,
    output: Path | None,
    launcher: str | None,
    machine: Mapping[str, Any] | None = None,
) -> pa.Table:
    """See `hopscope.remap.remap`, which writes the setting to `output`."""
    run = table("run").to_pylist()[0]
    if run["emulated"]:
        raise InputError(
            "the run emulated links, which do not delay an MPI library's own messages, so no setting would gain what "
            "the replay says; trace the program on the machine itself or on `hopscope run --net`"
        )
    library = installed(flavour, run["mpi_library"], launcher)
    try:
        basis = basis_of(table, machine, partial(with_reached_parts, flavour=flavour), announced=flavour == "openmpi")
    except NothingToFitError as problem:
        raise InputError(f"{problem.found}; {SHOWN_BY[flavour]}, and ask again") from None
    source, fitted, today, subject = basis.source, basis.fitted, basis.today, basis.source.subject
    screen = screen_of(source, basis.whole, today, fitted[0])
    reached = _reached(basis, library)
    choice: Choice | None = None
    least = LONG_GAIN if max(basis.long, default=0.0) > 0 else LEAST_GAIN
    spread = basis.spread.at_least(LONG_GAIN) if least > LEAST_GAIN else basis.spread
    if isinstance(today, Combination):
        reached, levers = levers_of(reached, screen, today, fitted[0], library)
        choice = Choice(screen, today, levers, fitted[0], measured_of(source, fitted[0]), max(basis.error, least))
    candidates = choice.offered() if choice else [of for (of,) in reached[0].judged.candidates]
    listing = Listing(
        source,
        screen,
        screen.window(SPREAD_WINDOW),
        today,
        candidates,
        fitted,
        fitted,
        basis.measured_ns,
        basis.error,
        spread,
        None,
        [lever.places for lever in choice.levers] if choice else (),
        least,
    )
    reasons = {one.why for one in reached}
    unknown = reached[0].why if choice is None or len(reasons) == 1 else None
    rows, order, guessed = listing.judged(alike_of(basis.error), is_known=unknown is None)
    _with_ends_of_gains(rows, measured_interval(source))
    ordered, best = [rows[i] for i in order], (today, *candidates)[order[0]]
    unpredicted = next((one for one in reached if one.why), reached[0])
    forced = [of[0] for of in unpredicted.judged.candidates]
    part = unpredicted.parts[0]
    ran = algorithm_of(source.tables, part)
    commands = commands_of(library, part.op, forced, run, len(part.members), ran=ran)
    said = setting_sentence(
        ordered,
        subject.op,
        guessed,
        source.places.hosts,
        library=library.name,
        ran=LIBRARY if subject.native else ENGINE,
        unknown=unknown,
        parts=_labels(reached, is_together=choice is not None),
        commands=commands,
    )
    if choice and isinstance(best, Combination) and unknown is None:
        said += of_levers(ordered[0], choice.levers, choice.gains(basis.whole, best), reached, FILED[flavour])
        said += worth_a_run(commands) if any(reasons) and candidates else ""
    said += "".join(f" {op} is left out: {why}." for op, why in subject.untold) + unseen_sentences(source)
    chosen = _chosen(best, today, reached) if ordered[0]["chosen"] else []
    said += rounding_of(part.op for _, parts in chosen for part in parts)
    if not chosen and any(reasons):
        said += rounding_of([unpredicted.parts[0].op])
    besides = changed_besides(source, [change for one, parts in chosen for change in one.changes(library, parts)])
    said += "".join(
        f" It also changes {plural(number, 'other collective')} of {op}, and what that takes is not predicted."
        for op, number in besides.items()
    )
    metadata = {b"sentence": said.encode(), b"launcher": library.launcher.encode()}
    metadata[b"missing"] = json.dumps(missing_of(rows, guessed, source.places, fitted[0])).encode()
    if chosen:
        setting = setting_of(chosen, library, str(output or PLACE))
        metadata |= {b"setting": setting.text.encode(), b"words": setting.words.encode()}
        metadata[b"operations"] = ", ".join(sorted({part.op for _, parts in chosen for part in parts})).encode()
    unjudged = [row for one in reached for row in _unjudged(one, is_only=choice is None)]
    return _table_of([*ordered, *unjudged], flavour).replace_schema_metadata(metadata)


def _labels(reached: Sequence[Reached], *, is_together: bool) -> list[str]:
    """What the parts that can be predicted are called where there are several, or all where none can be."""
    known = [one.label for one in reached if not one.why]
    return (known or [one.label for one in reached]) if is_together else []


def _reached(basis: Basis, library: Library) -> list[Reached]:
    """What settings reach, with the algorithms of the library for it."""
    parts = basis.source.subject.each
    late, long = basis.late_by_part, basis.long or [0.0] * len(parts)
    places = reached_together(parts, library.flavour)
    result: list[Reached] = []
    for of, label in zip(places, labels_of_reached(parts, places, library.flavour), strict=True):
        mine = [parts[place] for place in of]
        others = [part for place, part in enumerate(parts) if place not in of]
        taken = [one for done in result for (one, *_) in done.judged.candidates if isinstance(one, Hierarchical)]
        known = chain(forms(library, mine), hierarchical(library, mine, others, taken))
        why = next((why for place in of if (why := _unknown(basis, parts[place], late[place], long[place]))), None)
        result.append(Reached(of, label, mine, judged_of(known, mine, basis.fitted[0]), why))
    return result


def _unknown(basis: Basis, part: Subject, late: float, long: float) -> str | None:
    """Why this run does not show what another algorithm takes for this part; None if it does. late: the share of its
    messages that waited for their receives, and long: of those that wait for an answer."""
    if basis.why_missed:
        return basis.why_missed
    if long > MOST_LATE and basis.long_error > MOST_OFF:
        off = "what ran cannot be replayed"
        if math.isfinite(basis.long_error):
            off = f"the replay of what ran is off by {share(basis.long_error)}"
        return f"{share(long)} of its messages wait until their receivers have answered, and with that {off}"
    if late > MOST_LATE:
        return (
            f"{share(late)} of its messages waited for their receives to be posted, and what that costs another "
            "algorithm this trace does not show"
        )
    if not part.native:
        return None
    held, link = held_ns(replace(basis.source, subject=part), basis.fitted[0])
    if held > MOST_HELD * basis.measured_ns:
        return (
            f"a message over a {link} link held its sender for {duration(held)}, and how often another algorithm waits "
            "for that this trace does not show"
        )
    return None


def _chosen(best: Runs, today: Runs, reached: Sequence[Reached]) -> list[tuple[Forced, Sequence[Subject]]]:
    """What is set: the algorithm, and the parts that it is set for."""
    of, ran = each_piece(best), each_piece(today)
    firsts = [(of[one.places[0]], ran[one.places[0]], one.parts) for one in reached]
    return [(one, parts) for one, before, parts in firsts if one is not before and isinstance(one, Forced)]


def _with_ends_of_gains(rows: list[Row], measured: tuple[float, float]) -> None:
    """Adds the ends of each row's gain, against what the run took. measured: the ends of that."""
    for row in rows:
        row["gain_low"] = row["gain_high"] = None
        if not row["today"]:
            row["gain_low"] = min(row["gain"], 1 - row["predicted_high_ns"] / measured[0])
            row["gain_high"] = max(row["gain"], 1 - row["predicted_low_ns"] / measured[1])


def _unjudged(reached: Reached, *, is_only: bool) -> list[Row]:
    """is_only: there is nothing else to be told apart by names."""
    return [
        {
            "name": one.name if is_only else f"{one.name} for {reached.label}",
            "today": False,
            "chosen": False,
            "not_judged": one.reason,
            **columns_of(reached.parts),
        }
        for one in (reached.judged.others if is_only else reached.others)
    ]


def _table_of(rows: list[Row], flavour: str) -> pa.Table:
    added = {"gain_low": pa.float64(), "gain_high": pa.float64(), "not_judged": pa.string()}
    names = [column.name for column in parse("remap", description_of(flavour)).columns]
    types = {**{field.name: field.type for field in SCHEMA}, **added}
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, types[name]) for name in names]))
