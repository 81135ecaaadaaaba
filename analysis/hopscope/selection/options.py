"""Turns a selection, as the user typed it, into the part of a run that it means."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hopscope.errors import InputError, shortened_list, suggestion
from hopscope.format.quantities import duration, nanoseconds, plural
from hopscope.selection.misread import misread, rank_ranges
from hopscope.selection.views import Part

Ask = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]
"""Runs a query with parameters on the whole run and returns its rows as dictionaries."""


@dataclass(frozen=True)
class Selection:
    """A part of a run in the user's words. An option that is not given is None."""

    from_: str | None = None
    to: str | None = None
    ranks: str | None = None
    comm: str | None = None
    operation: str | None = None
    region: str | None = None
    place: str | None = None
    iteration_at: str | None = None

    def options(self) -> dict[str, str]:
        """The options of this selection, by name."""
        return {name: value for name in OPTIONS if (value := getattr(self, _field(name))) is not None}

    def merge(self, overrides: "Selection") -> "Selection":
        """This selection with another's options added. If both give an option, the other's value wins."""
        return replace(self, **{field: value for field, value in vars(overrides).items() if value is not None})

    def __str__(self) -> str:
        return " ".join(f"--{name} {value}" for name, value in self.options().items())


_LEAST_CALLS = 2
"""An iteration lies between two calls from a place, so a place needs at least this many."""

WHOLE_RUN = Selection()
"""A selection without options."""

OPTIONS: Mapping[str, str] = {
    "from": "Only from this time on: 1.5s, 20ms, a number of ns, start, or i:120 for iteration 120.",
    "to": "Only up to this time, in the same forms, or end.",
    "ranks": "Only these ranks: 3,8-15.",
    "comm": "Only this communicator: its number or name.",
    "operation": "Only this MPI function.",
    "region": "Only inside the program's region of this name.",
    "iteration-at": "Place or region at which each iteration begins, instead of the one that is found.",
    "place": "Only calls from this place: its text or a part of it; unknown for call sites that were not recorded.",
}
"""The options that select a part, with their help."""


def split(options: Mapping[str, Any], own_options: set[str]) -> tuple[Selection, dict[str, Any]]:
    """Separate the options of a selection from the other options. An analysis keeps its own options (`own_options`).

    `from_` means `from`, which is a keyword in Python, and `iteration_at` means `iteration-at`.
    """
    fields_by_name = {name: _field(name) for name in OPTIONS} | {_field(name): _field(name) for name in OPTIONS}
    field_by_option = {
        name: fields_by_name[name] for name in options if name in fields_by_name and name not in own_options
    }
    words = {field: _in_words(options[name]) for name, field in field_by_option.items() if options[name] is not None}
    return Selection(**words), {name: value for name, value in options.items() if name not in field_by_option}


def about_the_whole_run(name: str, selection: Selection) -> str:
    """An error message for a selection given to an analysis of the whole run. name: the analysis."""
    return f"{name} is about the whole run; leave out {selection}"


def find(selection: Selection, ask: Ask) -> Part:
    """The part of the run that a selection means. Raises InputError if an option is invalid, or does not fit the
    run."""
    for option, text in selection.options().items():
        if problem := misread(option, text):
            raise InputError(problem)
    if selection.iteration_at is not None:
        _check_called(selection.iteration_at, ask)
    begin = None if selection.from_ is None else _time(selection.from_, ask)
    end = None if selection.to is None else _time(selection.to, ask)
    if begin is not None and end is not None and begin >= end:
        raise InputError(f"--from {selection.from_} is not before --to {selection.to}; give a time before it")
    if begin is not None:
        _check_within(begin, selection, ask)
    return Part(
        begin,
        end,
        None if selection.ranks is None else _ranks(selection.ranks, ask),
        None if selection.comm is None else _comms(selection.comm, ask),
        None if selection.operation is None else _operation(selection.operation, ask),
        None if selection.region is None else _region(selection.region, ask),
        None if selection.place is None else _places(selection.place, ask),
        selection.iteration_at,
    )


def _time(text: str, ask: Ask) -> int:
    """A time in ns since the start of the trace."""
    if text == "start":
        return 0
    if text == "end":
        return int(ask("select coalesce(max(last_event_ns), 0) + 1 as at from ranks", {})[0]["at"])
    return _iteration(int(text[2:]), ask) if text.startswith("i:") else nanoseconds(text)


def _check_within(begin: int, selection: Selection, ask: Ask) -> None:
    """Raises InputError if a part begins after the end of the run."""
    last = ask("select max(last_event_ns) as at from ranks", {})[0]["at"]
    if last is not None and begin > last:
        position = "the end" if selection.from_ == "end" else "after the end"
        raise InputError(
            f"--from {selection.from_} is {position} of the run, which takes {duration(last)}; give an earlier time"
        )


def _iteration(number: int, ask: Ask) -> int:
    """The begin of an iteration in ns. Iteration 0 begins with the communication, each later one where its predecessor
    ends."""
    cuts = {int(row["iteration"]): int(row["begin_ns"]) for row in ask("from iteration_cuts", {})}
    count = max(cuts, default=0)
    if count == 0:
        raise InputError(
            "the run repeats no sequence of MPI calls five times or more, so it has no iterations; give times instead"
        )
    if number > count:
        raise InputError(
            f"there is no iteration {number}; the run has {plural(count, 'iteration')}, i:0 to i:{count - 1}, and "
            f"i:{count} is the end of the last"
        )
    return cuts[number]


def _check_called(place: str, ask: Ask) -> None:
    """Raises InputError if no iterations can begin at a place. Iterations are found from the calls of the first rank's
    first thread."""
    calls = ask(
        "select site, coalesce(place, site) as place, count(*) as number from first_rank_calls "
        "left join places on site = call_site group by all order by min(n)",
        {},
    )
    matches = [row for row in calls if place in row["site"] or place in row["place"]]
    rank = ask("select min(rank) as first from ranks", {})[0]["first"]
    if not matches:
        names = list(dict.fromkeys(str(row["place"]) for row in calls))
        raise InputError(
            f"--iteration-at {place}: rank {rank}, whose calls tell iterations apart, calls nothing from there and "
            f"has no region of that name; its calls come from {shortened_list(names, 5) or 'nowhere known'}"
            f"{suggestion(place, names)}"
        )
    if all(row["number"] < _LEAST_CALLS for row in matches):
        raise InputError(
            f"--iteration-at {place}: rank {rank} is there only once, which tells no iterations apart; give a place "
            "that every iteration calls"
        )


def _ranks(text: str, ask: Ask) -> tuple[int, ...]:
    known_ranks = {int(row["rank"]) for row in ask("select rank from ranks", {})}
    ranks: set[int] = set()
    for first, last in rank_ranges(text):
        # Stops at the first missing rank, because a range may have millions.
        missing = next((rank for rank in range(first, last + 1) if rank not in known_ranks), None)
        if missing is not None:
            raise InputError(f"the trace has no rank {missing}; its ranks are 0 to {max(known_ranks, default=0)}")
        ranks.update(range(first, last + 1))
    return tuple(sorted(ranks))


def _comms(text: str, ask: Ask) -> tuple[int, ...]:
    rows = ask("select comm, name from comms order by comm", {})
    comms = tuple(int(row["comm"]) for row in rows if text in (str(row["comm"]), row["name"]))
    if not comms:
        names = {str(row["name"]) for row in rows if row["name"]}
        numbers = shortened_list([str(row["comm"]) for row in rows])
        raise InputError(f"the trace has no communicator {text}; it has {numbers or 'none'}{suggestion(text, names)}")
    return comms


def _operation(text: str, ask: Ask) -> str:
    rows = ask("select distinct op as name from collectives union select distinct region from intervals "
               "where kind <> 'region' order by 1", {})  # fmt: skip
    return _checked_name(text, [str(row["name"]) for row in rows], "--operation", "calls of")


def _region(text: str, ask: Ask) -> str:
    rows = ask("select distinct region as name from intervals where kind = 'region' order by 1", {})
    return _checked_name(text, [str(row["name"]) for row in rows], "--region", "region")


def _checked_name(text: str, names: list[str], option: str, subject: str) -> str:
    if text in names:
        return text
    choices = shortened_list(names) or "none"
    raise InputError(f"{option} {text}: the trace has no {subject} {text}; it has {choices}{suggestion(text, names)}")


def _places(text: str, ask: Ask) -> tuple[str, ...]:
    """The call sites of a place: those with exactly this text; if there are none, those that contain it."""
    rows = ask("from program_places order by call_site", {})
    exact = tuple(str(row["call_site"]) for row in rows if text in (row["call_site"], row["place"]))
    part = tuple(str(row["call_site"]) for row in rows if text in row["call_site"] or text in row["place"])
    if not part:
        names = list(dict.fromkeys(str(row["place"]) for row in rows))
        origins = shortened_list(names, 5) or "nowhere known"
        raise InputError(f"--place {text}: nothing was called from there; calls came from {origins}")
    return exact or part


def _field(option: str) -> str:
    return "from_" if option == "from" else option.replace("-", "_")


def _in_words(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(str(item) for item in value)
    return str(value)
