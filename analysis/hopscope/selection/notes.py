"""Notes on a part of a run, in sentences: the certainty of its iterations, and the contents of the run that it
lacks."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopscope.format.quantities import duration, number, plural, share
from hopscope.selection.options import Ask, Selection
from hopscope.vocabulary.words import ONE_TIME_CATEGORIES

_ITERATIONS = (
    "select coalesce(own.place, site) as site, turns, sure, coalesce(other.place, rival_site) as rival, "
    "rival_is_inside, between_least, between_most from iteration_marker "
    "left join places as own on site = own.call_site left join places as other on rival_site = other.call_site"
)

_HOLDS = (
    "select exists(from collectives) as held",
    "select exists(from messages) as held",
    "select exists(from intervals) as held",
    "select exists(from path_stretches where path = 'run') as held",
)
"""Queries for the contents of a part, cheapest first."""

_REMEDIES = (
    "select place_remedy(how, module) as remedy, count(distinct place) as number from places "
    "where list_contains($places, place) group by remedy having remedy is not null order by number desc, remedy"
)

_PHASES = (
    ("--from start", "startup_ns", ONE_TIME_CATEGORIES["startup"]),
    ("--to end", "shutdown_ns", ONE_TIME_CATEGORIES["shutdown"]),
)
"""Phases that happen once in a run: the option that includes them, their column in `left_out`, their name."""

_LEAST_TURNS = 5
"""Turns that make a loop, as `iteration_candidates` counts them."""

_WORTH_SAYING = 0.001
"""Share of the path from which on an omission is reported."""


def iterations(ask: Ask) -> str | None:
    """The run's iterations and their certainty; None if it has none. `ask` knows `iteration_marker`."""
    return next(map(_iterations, ask(_ITERATIONS, {})), None)


def _iterations(row: Mapping[str, Any]) -> str:
    summary = f"{plural(row['turns'], 'iteration')}, each with one turn at {row['site']}; {share(row['sure'])} of them "
    if row["rival"] is None:
        return f"{summary}make the same calls"
    low, high = row["between_least"], row["between_most"]
    turns = str(high) if low == high else f"{low} to {high}"
    cadence = f"every {high} of them" if low == high else f"{turns} of them"
    if row["rival_is_inside"]:
        return (
            f"{summary}make calls at the same places, each with {turns} turns of a loop at {row['rival']}; if those "
            "are the iterations, choose it with --iteration-at"
        )
    return (
        f"{summary}make the same calls; {row['rival']} comes only after {cadence}; if it is what each "
        "iteration calls once, choose it with --iteration-at"
    )


def missing_iterations(iterations: int, most_calls: int) -> str:
    """The reason why an answer has no iterations, from the counts of the view `loop_counts`."""
    if iterations:
        return "no iteration of the run ends in this part of it"
    if not most_calls:
        return "the run has no iterations: its first rank calls MPI only to begin and to end"
    if most_calls < _LEAST_TURNS:
        reason = f"no MPI call repeats {_LEAST_TURNS} times or more"
    else:
        reason = "no sequence of MPI calls repeats through half of the time in which calls repeat"
    return f"the run has no iterations: {reason}; if it has a loop, name a call of each iteration with --iteration-at"


def is_by_iteration(selection: Selection) -> bool:
    """Tell if a selection names an iteration."""
    return any(time and time.startswith("i:") for time in (selection.from_, selection.to))


def changes_nothing(iteration_at: str) -> str:
    """A note on a place of iterations, where no iterations are asked for."""
    return f"--iteration-at {iteration_at} changes nothing here; it is for --from and --to by iteration, as --from i:10"


def holdings(selection: Selection, ask: Ask) -> tuple[bool, ...]:
    """Tell if a part of a run holds any collective, message, interval and stretch of its path, up to the first that it
    does. Intervals are on no communicator, so a part by communicator keeps them all and they do not count."""
    holds: list[bool] = []
    for query in _HOLDS:
        counts = selection.comm is None or "intervals" not in query
        holds.append(counts and bool(ask(query, {})[0]["held"]))
        if holds[-1]:
            break
    return tuple(holds)


def empty_part_note(selection: Selection) -> str:
    """A note on a part without contents."""
    return (
        f"{selection} selects nothing: no call, no message and no stretch of the run's critical path lies in all of "
        "that; leave out an option or take in more of the run"
    )


def lack(selection: Selection, holds: tuple[bool, ...]) -> str | None:
    """The contents of the run that a part lacks; None if it lacks nothing."""
    if not any(holds):
        return empty_part_note(selection)
    # An operation and a place select calls, of whatever kind they are.
    if holds[0] or selection.operation is not None or selection.place is not None:
        return None
    return "no collective lies in this part of the run"


def left_out(row: Mapping[str, int]) -> Mapping[str, str]:
    """Phases that answers about the critical path leave out, by the option that includes them; `row` is that of the
    view `left_out`, in ns."""
    return {
        option: f"{duration(row[column])} of {name} ({share(row[column] / row['path_ns'])} of the path)"
        for option, column, name in _PHASES
        if row["path_ns"] and row[column] / row["path_ns"] >= _WORTH_SAYING
    }


def lateness_limit(row: Mapping[str, Any], least_ms: float | None) -> str:
    """The excess of a late rank over the faster members; `row` is that of the view `lateness_limit`."""
    if least_ms is not None:
        return f"a rank is late if it computed {duration(least_ms * 1e6)} longer than the faster members (--least-ms)"
    whole = "the median iteration" if row["is_iteration"] else "the median time between collectives"
    if row["is_iteration"] and row["collectives"] > 1:
        whole += f" per collective, of which it has {number(row['collectives'])}"
    return (
        f"a rank is late if it computed {duration(row['limit_ns'])} longer than the faster members: 5 % of {whole}; "
        "--least-ms sets another limit"
    )


def remedies(ask: Ask, places: Sequence[str]) -> tuple[str, ...]:
    """Advice on how places get their function and source line, a sentence for each remedy; `ask` knows
    `place_remedy`."""
    return tuple(
        f"{row['number']} of {plural(len(places), 'place')} {'has' if row['number'] == 1 else 'have'} no source line: "
        f"{row['remedy']}"
        for row in ask(_REMEDIES, {"places": list(places)})
    )
