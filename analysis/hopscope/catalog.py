"""What analyses there are: reads the headers of the `.sql` files, the one place where an analysis is described.

A file under `sql/analyses/` is one analysis at one declared grain (what one row is). The part of its name before the
first dot is the command: `critical_path.rank.sql` serves `analyze critical-path` and `Trace.critical_path()`. A new
file is a new command, or a new grain of one. Its header is the block of `--` lines at the top:

    -- Time on the critical path of the run, by rank.            the first line is the help, one sentence
    --
    -- The concept in words, in as many paragraphs as needed.    prose, up to the first directive
    --
    -- grain by = rank                                           served when `--by rank` is given
    -- param comm INTEGER = null -- Only on this communicator.   used in the query as $comm; the default is JSON
    -- key rank                                                  what names a row, for --fail-if and for people
    -- column rank INTEGER -- The rank.                          one line per output column, in order
    -- column share DOUBLE [share] -- Part of the path's time.
    -- uses run_path                                             files of staging/ and steps/ that it reads
    -- example analyze critical-path trace --by rank

The directives (a line indented by three or more spaces continues the one above):

* `grain OPTION = VALUE`: this file serves `--OPTION VALUE`; add `default` after the value for the grain taken when
  nothing is given. The values of one option over the files of a command are its closed list.
* `grain OPTION given`: this file is taken when the parameter OPTION is given (`--collective 0:17`). A file without a
  grain is its command's only one, or its default.
* `param NAME TYPE = DEFAULT -- meaning`: TYPE is INTEGER, BIGINT, DOUBLE, VARCHAR, BOOLEAN, COLLECTIVE (text of the
  form COMM:SEQ), or the closed list of its words, as `first|worst`.
* `key COLUMN[, COLUMN]`: what names a row. With several columns the values are joined by spaces.
* `column NAME TYPE [UNIT] -- meaning`: TYPE as DuckDB names it. UNIT is ns, at (a point in time, in ns since the start
  of the trace), bytes or share (0 to 1, shown as %), taken from the name where it is left out (`*_ns`, `bytes` and
  `*_bytes`, `share` and `*_share`); `[of unit]` says that the column `unit` of the row holds it.
* `uses NAME[, NAME]`: views and macros of `staging/` and `steps/`, which carry a header with first line, concept and
  `uses` themselves.
* `bar COLUMN`: drawn as a bar in the table for people.
* `only-data COLUMN[, COLUMN]`: columns that the table for people leaves out.
* `uncertain COLUMN by COLUMN`: a gate on the first cannot be judged if adding the second would turn it.
* `fail-if EXPRESSION`: a gate that always holds for this command.
* `empty note SENTENCE` or `empty error SENTENCE`: what to say when there is no row; `error` makes it wrong input
  (exit 2).
* `example COMMAND`: one line that a reader can type.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

Scalar = bool | int | float | str | None

PARAMETER_TYPES = ("INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "COLLECTIVE")
UNITS = ("ns", "at", "bytes", "share", "of unit")

_DIRECTIVE = re.compile(r"(grain|param|key|column|uses|bar|only-data|uncertain|fail-if|empty|example) (.*)")
_GRAIN = re.compile(r"(?P<option>[a-z_]+)(?: = (?P<value>[a-z-]+)(?P<default> default)?| given)")
_PARAM = re.compile(r"(?P<name>[a-z_0-9]+) (?P<type>[A-Z]+|[a-z]+(?:\|[a-z]+)+) = (?P<default>.+?) -- (?P<meaning>.+)")
_COLUMN = re.compile(r"(?P<name>[a-z_0-9]+) (?P<type>[A-Z]+(?:\[\])?)(?: \[(?P<unit>[a-z ]+)\])? -- (?P<meaning>.+)")
_UNCERTAIN = re.compile(r"(?P<column>[a-z_0-9]+) by (?P<by>[a-z_0-9]+)")


class HeaderError(Exception):
    """A `.sql` file whose header breaks the format above: a mistake in the program, not of its user."""


@dataclass(frozen=True)
class Column:
    """One output column: its DuckDB type, its meaning and its unit (`ns`, `bytes`, `share`, `of unit` or none)."""

    name: str
    type: str
    meaning: str
    unit: str | None = None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a query, used there as `$name`."""

    name: str
    type: str
    default: Scalar
    meaning: str

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be, where its type is a closed list of them."""
        return tuple(self.type.split("|")) if "|" in self.type else ()


@dataclass(frozen=True)
class Grain:
    """Which option chooses this file: `--option value`, or the parameter `option` being given (`value` is None)."""

    option: str
    value: str | None
    default: bool = False


@dataclass(frozen=True)
class Source:
    """One `.sql` file: its header's words and its text. Views and macros of `staging/` and `steps/` are no more than
    this."""

    name: str
    help: str
    concept: str
    uses: tuple[str, ...]
    sql: str


@dataclass(frozen=True)
class Analysis(Source):
    """One analysis at one grain."""

    grain: Grain | None = None
    parameters: tuple[Parameter, ...] = ()
    key: tuple[str, ...] = ()
    columns: tuple[Column, ...] = ()
    bar: str | None = None
    only_data: tuple[str, ...] = ()
    uncertain: Mapping[str, str] = field(default_factory=dict[str, str])
    gates: tuple[str, ...] = ()
    empty: str | None = None
    empty_is_error: bool = False
    examples: tuple[str, ...] = ()

    @property
    def function(self) -> str:
        """Name in the Python API, such as `critical_path`."""
        return self.name.split(".")[0]

    @property
    def command(self) -> str:
        """Name on the command line, such as `critical-path`."""
        return self.function.replace("_", "-")


@dataclass(frozen=True)
class Command:
    """All grains of one command; the default one comes first."""

    name: str
    function: str
    grains: tuple[Analysis, ...]

    @property
    def default(self) -> Analysis:
        """The grain taken when no option chooses another."""
        return self.grains[0]

    @property
    def choices(self) -> dict[str, list[str]]:
        """The closed list of values of each option that chooses a grain."""
        found: dict[str, list[str]] = {}
        for analysis in self.grains:
            if analysis.grain and analysis.grain.value is not None:
                found.setdefault(analysis.grain.option, []).append(analysis.grain.value)
        return found

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Parameters of any of the grains, each once."""
        return tuple({p.name: p for analysis in self.grains for p in analysis.parameters}.values())

    def choose(self, options: Mapping[str, Scalar]) -> tuple[Analysis, dict[str, Scalar]]:
        """The grain that these options ask for, and the values of all its parameters.

        Raises ValueError, with a sentence for the user, for an option or value that no grain has, or two grains at
        once.
        """
        given = {name: value for name, value in options.items() if value is not None}
        names = {*self.choices, *(p.name for p in self.parameters)}
        for name in given:
            if name not in names:
                raise ValueError(f"{self.name} has no option {name!r}; it has {_listed(sorted(names)) or 'none'}")
        for option, values in self.choices.items():
            if option in given and given[option] not in values:
                raise ValueError(f"{self.name} --{option} is one of {_listed(values)}, not {given[option]!r}")
        wanted = [a for a in self.grains if a.grain and _chosen(a.grain, given)]
        if len(wanted) > 1:
            options_named = _listed([f"--{a.grain.option}" for a in wanted if a.grain])
            raise ValueError(f"{self.name} takes only one of {options_named} at a time")
        analysis = wanted[0] if wanted else self.default
        values = {p.name: p.default for p in analysis.parameters}
        for name, value in given.items():
            if name in values:
                values[name] = value
            elif name not in self.choices:
                raise ValueError(f"{self.name} --{name} does not go with {_grain_words(analysis)}")
        for parameter in analysis.parameters:
            _check_value(self.name, parameter, values[parameter.name])
        return analysis, values


@dataclass(frozen=True)
class Catalog:
    """Every `.sql` file of the package."""

    commands: Mapping[str, Command]
    sources: Mapping[str, Source]

    def command(self, name: str) -> Command:
        """The command of this name, written with hyphens or underscores. Raises KeyError."""
        return self.commands[name.replace("_", "-")]

    def ordered(self, uses: Sequence[str]) -> list[Source]:
        """These views and macros and all that they rest on, each after those that it uses. Raises HeaderError on a
        cycle or an unknown name."""
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
            for other in self.sources[name].uses:
                visit(other, (*open_names, name))
            done[name] = self.sources[name]

        for name in uses:
            visit(name, ())
        return list(done.values())


@cache
def load() -> Catalog:
    """The catalog of the package's own `.sql` files."""
    return read(files("hopscope") / "sql")


def read(directory: Traversable) -> Catalog:
    """The catalog of a directory with `staging`, `steps` and `analyses`. Raises HeaderError."""
    sources = {s.name: s for room in ("staging", "steps") for s in (_source(f) for f in _sql_files(directory / room))}
    found: dict[str, list[Analysis]] = {}
    for file in _sql_files(directory / "analyses"):
        analysis = parse(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8"))
        found.setdefault(analysis.command, []).append(analysis)
    commands = {name: _command(name, grains) for name, grains in sorted(found.items())}
    return Catalog(commands, sources)


def parse(name: str, text: str) -> Analysis:
    """The analysis in this text of a file called `name`.sql. Raises HeaderError naming file and line."""
    source, directives = _split(name, text)
    values: dict[str, list[str]] = {}
    for word, value in directives:
        values.setdefault(word, []).append(value)
    for required in ("key", "column", "example"):
        if required not in values:
            raise HeaderError(f"{name}.sql: the header has no `{required}`")
    columns = tuple(_column(name, value) for value in values["column"])
    key = _names(values["key"][0])
    bar = values["bar"][0] if "bar" in values else None
    only_data = tuple(n for value in values.get("only-data", []) for n in _names(value))
    uncertain = {m["column"]: m["by"] for m in (_match(_UNCERTAIN, name, v) for v in values.get("uncertain", []))}
    known = {column.name for column in columns}
    for column in (*key, *([bar] if bar else []), *only_data, *uncertain, *uncertain.values()):
        if column not in known:
            raise HeaderError(f"{name}.sql: the header speaks of a column {column!r} that it does not declare")
    empty_kind, _, empty = values.get("empty", [""])[0].partition(" ")
    if empty_kind not in ("", "note", "error"):
        raise HeaderError(f"{name}.sql: `empty` is followed by note or error, not {empty_kind!r}")
    return Analysis(
        name=source.name,
        help=source.help,
        concept=source.concept,
        uses=source.uses,
        sql=source.sql,
        grain=_grain(name, values["grain"][0]) if "grain" in values else None,
        parameters=tuple(_parameter(name, value) for value in values.get("param", [])),
        key=key,
        columns=columns,
        bar=bar,
        only_data=only_data,
        uncertain=uncertain,
        gates=tuple(values.get("fail-if", [])),
        empty=empty or None,
        empty_is_error=empty_kind == "error",
        examples=tuple(values["example"]),
    )


def _sql_files(directory: Traversable) -> list[Traversable]:
    return sorted((f for f in directory.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)


def _source(file: Traversable) -> Source:
    name = file.name.removesuffix(".sql")
    source, directives = _split(name, file.read_text(encoding="utf-8"))
    for word, _ in directives:
        if word != "uses":
            raise HeaderError(f"{name}.sql: a view or macro has no `{word}`, only `uses`")
    return source


def _split(name: str, text: str) -> tuple[Source, list[tuple[str, str]]]:
    header: list[str] = []
    lines = text.splitlines()
    for line in lines:
        if not line.startswith("--"):
            break
        header.append(line[2:].removeprefix(" ").rstrip())
    sql = "\n".join(lines[len(header) :]).strip()
    if not header or not header[0].endswith(".") or (len(header) > 1 and header[1]):
        raise HeaderError(f"{name}.sql: the first line of the header is one sentence, then a line `--`")
    concept: list[str] = []
    directives: list[tuple[str, str]] = []
    for number, line in enumerate(header[2:], start=3):
        match = _DIRECTIVE.fullmatch(line)
        if match:
            directives.append((match[1], match[2].strip()))
        elif directives and line.startswith("   "):
            word, value = directives.pop()
            directives.append((word, f"{value} {line.strip()}"))
        elif directives and line:
            raise HeaderError(f"{name}.sql:{number}: {line!r} is no directive")
        elif not directives:
            concept.append(line)
    uses = tuple(u for word, value in directives if word == "uses" for u in _names(value))
    if not "".join(concept).strip():
        raise HeaderError(f"{name}.sql: the header does not explain the concept")
    return Source(name, header[0], "\n".join(concept).strip(), uses, sql), directives


def _command(name: str, grains: list[Analysis]) -> Command:
    defaults = [a for a in grains if a.grain is None or a.grain.default]
    if len(defaults) != 1:
        raise HeaderError(
            f"{name} has {len(defaults)} default grains; exactly one file is without `grain` or marked `default`"
        )
    others = [a for a in grains if a is not defaults[0]]
    return Command(name, name.replace("-", "_"), (defaults[0], *others))


def _match(pattern: re.Pattern[str], name: str, value: str) -> re.Match[str]:
    match = pattern.fullmatch(value)
    if match is None:
        raise HeaderError(f"{name}.sql: cannot read {value!r} in the header")
    return match


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(","))


def _grain(name: str, value: str) -> Grain:
    match = _match(_GRAIN, name, value)
    return Grain(match["option"], match["value"], match["default"] is not None)


def _parameter(name: str, value: str) -> Parameter:
    match = _match(_PARAM, name, value)
    if match["type"] not in PARAMETER_TYPES and "|" not in match["type"]:
        raise HeaderError(f"{name}.sql: no parameter type {match['type']}; there are {_listed(PARAMETER_TYPES)}")
    return Parameter(match["name"], match["type"], json.loads(match["default"]), match["meaning"])


def _column(name: str, value: str) -> Column:
    match = _match(_COLUMN, name, value)
    unit = match["unit"] or _unit_of(match["name"])
    if unit is not None and unit not in UNITS:
        raise HeaderError(f"{name}.sql: no unit [{unit}]; there are {_listed(UNITS)}")
    return Column(match["name"], match["type"], match["meaning"], unit)


def _unit_of(column: str) -> str | None:
    for unit, suffix in (("ns", "_ns"), ("bytes", "_bytes"), ("share", "_share")):
        if column.endswith(suffix) or (column == unit and unit != "ns"):
            return unit
    return None


def _chosen(grain: Grain, given: Mapping[str, Scalar]) -> bool:
    return grain.option in given if grain.value is None else given.get(grain.option) == grain.value


def _grain_words(analysis: Analysis) -> str:
    if analysis.grain is None:
        return "it"
    return f"--{analysis.grain.option}" + (f" {analysis.grain.value}" if analysis.grain.value else "")


def _check_value(command: str, parameter: Parameter, value: Scalar) -> None:
    if value is None:
        return
    if parameter.choices:
        if value not in parameter.choices:
            raise ValueError(f"{command} --{parameter.name} is one of {_listed(parameter.choices)}, not {value!r}")
        return
    fits = {
        "INTEGER": _is_integer(value, 31),
        "BIGINT": _is_integer(value, 63),
        "DOUBLE": isinstance(value, int | float) and not isinstance(value, bool),
        "VARCHAR": isinstance(value, str),
        "BOOLEAN": isinstance(value, bool),
        "COLLECTIVE": isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}:[0-9]{1,18}", value) is not None,
    }[parameter.type]
    if not fits:
        wanted = {
            "COLLECTIVE": "COMM:SEQ, such as 0:17,",
            "INTEGER": "of type INTEGER, from 0 up,",
            "BIGINT": "of type BIGINT, from 0 up,",
        }.get(parameter.type, f"of type {parameter.type},")
        raise ValueError(f"{command} --{parameter.name} is {wanted} not {value!r}")


def _is_integer(value: Scalar, bits: int) -> bool:
    """Whether a column of so many bits can hold it. Nothing that is counted or numbered here is below zero."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**bits


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)
