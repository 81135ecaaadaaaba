"""The catalog of analyses, read from the headers of the `.sql` files (`header.py` has their format).

A file under `sql/analyses/` is one analysis at one declared grain (what one row is). The part of its name before the
first dot is the command: `critical_path.rank.sql` serves `analyze critical-path` and `Trace.critical_path()`. A new
file is a new command, or a new grain of one. A file under `sql/computed/` is only a header: no query gives the rows of
its command.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from hopscope.errors import suggestion
from hopscope.query.header import (
    Analysis,
    Column,
    Grain,
    HeaderError,
    Parameter,
    Scalar,
    Source,
    columns_in,
    comma_list,
    parse,
    split,
)

__all__ = [
    "FORMERLY",
    "ROWS_MOVED",
    "Analysis",
    "Catalog",
    "Column",
    "Command",
    "Grain",
    "HeaderError",
    "Parameter",
    "Scalar",
    "Source",
    "load",
    "parse",
    "read",
]

FORMERLY: Final = {
    "caveats": "trust",
    "findings": "diagnose",
    "honesty": "trust",
    "noise-periods": "noise --by period",
}
"""Former names of commands, which still work for one release, and the words to type instead."""

ROWS_MOVED: Final = {"summary": "trust"}
"""Commands of which some rows have moved to another command, and that command."""


@dataclass(frozen=True)
class Command:
    """One command with all its grains; the default grain comes first."""

    name: str
    function: str
    grains: tuple[Analysis, ...]

    @property
    def default(self) -> Analysis:
        """The grain taken when no option chooses another."""
        return self.grains[0]

    @property
    def choices(self) -> dict[str, list[str]]:
        """The allowed values of each option that chooses a grain, including older names of values."""
        values_by_option: dict[str, list[str]] = {}
        for analysis in self.grains:
            if analysis.grain and analysis.grain.value is not None:
                values = [analysis.grain.value, analysis.grain.formerly]
                values_by_option.setdefault(analysis.grain.option, []).extend(value for value in values if value)
        return values_by_option

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of any of the grains, each once."""
        return tuple({p.name: p for analysis in self.grains for p in analysis.parameters}.values())

    def choose(self, options: Mapping[str, Scalar]) -> tuple[Analysis, dict[str, Scalar]]:
        """The grain that these options ask for, and the values of all its parameters.

        Raises ValueError, with a sentence for the user, for an option or value that no grain has, or two grains at
        once.
        """
        settings = {name: value for name, value in options.items() if value is not None}
        names = {*self.choices, *(p.name for p in self.parameters)}
        for name in settings:
            if name not in names:
                raise ValueError(
                    f"{self.name} has no option {name!r}; its options are {comma_list(sorted(names)) or 'none'}"
                    + suggestion(name, names)
                )
        for option, values in self.choices.items():
            if option in settings and settings[option] not in values:
                raise ValueError(
                    f"{self.name} --{option} must be one of {comma_list(values)}, not {settings[option]!r}"
                )
        selected_grains = [a for a in self.grains if a.grain and _is_selected(a.grain, settings)]
        if len(selected_grains) > 1:
            options_named = comma_list([f"--{a.grain.option}" for a in selected_grains if a.grain])
            raise ValueError(f"{self.name} takes only one of {options_named} at a time")
        analysis = selected_grains[0] if selected_grains else self._served_by(settings)
        values = {p.name: p.default for p in analysis.parameters}
        for name, value in settings.items():
            if name in values:
                values[name] = value
            elif name not in self.choices:
                raise ValueError(f"{self.name} {typed(name)} does not work with {_grain_words(analysis)}")
        for parameter in analysis.parameters:
            if parameter.type == "COLLECTIVE" and values[parameter.name] is None:
                raise ValueError(
                    f"{self.name} looks at one collective: choose it with --{parameter.name} COMM:SEQ, such as "
                    f"--{parameter.name} 0:17; `analyze collectives` lists them"
                )
            _check_value(self.name, parameter, values[parameter.name])
        return analysis, values

    def _served_by(self, settings: Mapping[str, Scalar]) -> Analysis:
        """The grain if no option chooses one: the default or, if that lacks a given parameter, the only grain that has
        all given parameters."""
        names = settings.keys() - self.choices.keys()
        serving = [analysis for analysis in self.grains if names <= {p.name for p in analysis.parameters}]
        return serving[0] if len(serving) == 1 else self.default


@dataclass(frozen=True)
class Catalog:
    """The contents of all `.sql` files of the package: commands, and the views and macros that they use."""

    commands: Mapping[str, Command]
    sources: Mapping[str, Source]
    computed: Mapping[str, Command]
    """Commands that have a header and no query."""

    def command(self, name: str) -> Command:
        """The command with this present or former name, written with hyphens or underscores. Raises KeyError."""
        return self.commands[current(name)[0]]

    def ordered(self, uses: Sequence[str]) -> list[Source]:
        """These views and macros, and all that they use, in an order in which each comes after those that it uses.
        Raises HeaderError on a cycle or an unknown name."""
        done: dict[str, Source] = {}

        def visit(name: str, open_names: tuple[str, ...]) -> None:
            if name in done:
                return
            if name in open_names:
                raise HeaderError(f"{' uses '.join([*open_names, name])}: a cycle")
            if name not in self.sources:
                raise HeaderError(
                    f"{open_names[-1] if open_names else 'a query'} uses {name}, which is in neither staging nor steps"
                )
            for dependency in self.sources[name].uses:
                visit(dependency, (*open_names, name))
            done[name] = self.sources[name]

        for name in uses:
            visit(name, ())
        return list(done.values())


def current(name: str) -> tuple[str, Mapping[str, str]]:
    """The command that a name stands for, written with hyphens or underscores, and the options that it implies."""
    command, *words = FORMERLY.get(name.replace("_", "-"), name.replace("_", "-")).split()
    return command, {option.removeprefix("--"): value for option, value in zip(words[::2], words[1::2], strict=True)}


@cache
def load() -> Catalog:
    """The catalog of the package's own `.sql` files."""
    return read(files("hopscope") / "sql")


def read(directory: Traversable) -> Catalog:
    """The catalog of a directory with `staging`, `steps`, `analyses` and `computed`. Raises HeaderError."""
    sources = {s.name: s for room in ("staging", "steps") for s in (_source(f) for f in _sql_files(directory / room))}
    commands = _commands(directory / "analyses", sources)
    for analysis in (grain for command in commands.values() for grain in command.grains):
        _check_asked(analysis, commands)
    return Catalog(commands, sources, _commands(directory / "computed", sources))


def _commands(directory: Traversable, sources: Mapping[str, Source]) -> dict[str, Command]:
    analyses: dict[str, list[Analysis]] = {}
    for file in _sql_files(directory):
        analysis = parse(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8"), sources)
        analyses.setdefault(analysis.command, []).append(analysis)
    return {name: _command(name, grains) for name, grains in sorted(analyses.items())}


def _sql_files(directory: Traversable) -> list[Traversable]:
    return sorted((f for f in directory.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)


def _source(file: Traversable) -> Source:
    name = file.name.removesuffix(".sql")
    source, directives = split(name, file.read_text(encoding="utf-8"))
    for word, _ in directives:
        if word not in ("column", "uses", "kept"):
            raise HeaderError(f"{name}.sql: a view or macro has no `{word}`, only `column`, `uses` and `kept`")
    keeps_rows = any(word == "kept" for word, _ in directives)
    return replace(source, columns=columns_in(name, directives, {}), keeps_rows=keeps_rows)


def _check_asked(analysis: Analysis, commands: Mapping[str, Command]) -> None:
    defaults = {parameter.name: parameter.default for parameter in analysis.parameters}
    for name in analysis.asks:
        if name not in commands:
            raise HeaderError(f"{analysis.name}.sql asks {name}, which is not an analysis")
        for parameter in commands[name].default.parameters:
            if defaults.get(parameter.name, parameter.default) != parameter.default:
                raise HeaderError(f"{analysis.name}.sql and {name} have different defaults for {parameter.name}")


def _command(name: str, grains: list[Analysis]) -> Command:
    defaults = [a for a in grains if a.grain is None or a.grain.default]
    if len(defaults) != 1:
        raise HeaderError(
            f"{name} has {len(defaults)} default grains; exactly one file is without `grain` or marked `default`"
        )
    alternatives = [a for a in grains if a is not defaults[0]]
    return Command(name, name.replace("-", "_"), (defaults[0], *alternatives))


def _is_selected(grain: Grain, settings: Mapping[str, Scalar]) -> bool:
    return grain.option in settings and (grain.value is None or settings[grain.option] in (grain.value, grain.formerly))


def _grain_words(analysis: Analysis) -> str:
    if analysis.grain is None:
        return "it"
    return f"--{analysis.grain.option}" + (f" {analysis.grain.value}" if analysis.grain.value else "")


def _check_value(command: str, parameter: Parameter, value: Scalar) -> None:
    if value is None:
        return
    if parameter.choices:
        if value not in parameter.choices:
            raise ValueError(
                f"{command} {typed(parameter.name)} must be one of {comma_list(parameter.choices)}, not {value!r}"
            )
        return
    fits = {
        "INTEGER": _is_integer(value, 31),
        "BIGINT": _is_integer(value, 63),
        "DOUBLE": isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf,
        "VARCHAR": isinstance(value, str),
        "BOOLEAN": isinstance(value, bool),
        "TRACE": isinstance(value, str),
        "TRACES": isinstance(value, str),
        "COLLECTIVE": isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}:[0-9]{1,18}", value) is not None,
    }[parameter.type]
    if not fits:
        expectation = {
            "COLLECTIVE": "COMM:SEQ, such as 0:17,",
            "DOUBLE": "a number from 0 up,",
            "INTEGER": f"a whole number from 0 to {2**31 - 1},",
            "BIGINT": f"a whole number from 0 to {2**63 - 1},",
            "BOOLEAN": "true or false,",
        }.get(parameter.type, "a text,")
        raise ValueError(f"{command} {typed(parameter.name)} must be {expectation} not {value!r}")


def typed(name: str) -> str:
    """A parameter's name as a user types it."""
    return "--" + name.replace("_", "-")


def _is_integer(value: Scalar, bits: int) -> bool:
    """Tell if the value is a whole number from 0 to 2**bits - 1. Counts and numbers are never below zero."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**bits


def documentation(command: Command) -> str:
    """Text of a command's headers: help, concept, options and the columns of every grain."""
    parts = [command.default.help, "", command.default.concept, ""]
    for analysis in command.grains:
        if analysis.grain:
            value = analysis.grain.value or "..."
            parts.append(f"{analysis.grain.option}={value}: {analysis.help}")
        parts += [f"  {c.name} ({c.type}): {c.meaning}" for c in analysis.columns]
        parts.append("")
    return "\n".join(parts)
