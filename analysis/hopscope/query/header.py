"""The header of an analysis: the block of `--` lines at the top of a `.sql` file, the only place that describes it.

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

* `grain OPTION = VALUE`: this file serves `--OPTION VALUE`; add `default` after the value for the file that is used
  when no option is given. The option accepts only the values in the files of its command. `formerly VALUE` keeps an
  older value as another name for this one.
* `grain OPTION given`: this file is used when the parameter OPTION is given (`--collective 0:17`). A file without
  `grain` is its command's only file, or its default.
* `param NAME TYPE = DEFAULT -- meaning`: TYPE is INTEGER, BIGINT, DOUBLE, VARCHAR, BOOLEAN, COLLECTIVE (text of the
  form COMM:SEQ), TRACE (another trace, on which the query runs, too), TRACES (further runs: `also` of this trace's
  program, `base_also` of the other trace's), or the closed list of its words, as `first|worst`.
* `key COLUMN[, COLUMN]`: what names a row. With several columns the values are joined by spaces.
* `column NAME TYPE [UNIT] -- meaning`: TYPE as DuckDB names it. UNIT is ns, at (a point in time, in ns since the start
  of the trace), bytes or share (0 to 1, shown as %), taken from the name where it is left out (`*_ns`, `bytes` and
  `*_bytes`, `share` and `*_share`); `[of unit]` says that the column `unit` of the row holds it.
* `columns of MACRO`: the columns that a table macro of `steps/` declares in its own header, so that the files which
  call it share the descriptions; `columns of MACRO: NAME[, NAME]` takes only these.
* `uses NAME[, NAME]`: views and macros of `staging/` and `steps/`, which carry a header with first line, concept,
  `column` and `uses` themselves.
* `kept beside the dataset`, only for views that several analyses read and that take long: the rows of the view are
  kept. Those of a long run are kept with its answers (`cache.py`), those of a short run in memory.
* `bar COLUMN`: drawn as a bar in the table for people.
* `paragraphs COLUMN, COLUMN[, COLUMN]`: people read the rows as paragraphs and not in a table. A paragraph begins with
  the word in the first column and the sentence in the second one. Each further column gets its own line below. Words
  before a column's name are printed before its text.
* `above COLUMN = WORD[, WORD]`: paragraphs whose column has one of these words are printed before the others, in this
  order.
* `headline COLUMN`: people read the first row's text in this column before the table.
* `only-data COLUMN[, COLUMN]`: columns that the table for people leaves out.
* Columns `X_low` and `X_high`, or `X_low_ns` and `X_high_ns`, are the ends of an interval. The table for people shows
  both in one column at the place of the first. `only-data` and `narrow` name it by the first.
* `narrow COLUMN[, COLUMN]`: columns that the table for people drops, in this order, if the terminal is too narrow. A
  column of the key stays unless it is named here.
* `exact COLUMN[, COLUMN]`: columns that do not depend on times, so they are equal in two runs of one program. A gate
  on them never flakes. `exact *` means all columns.
* `then MODULE -- meaning`: computes what SQL cannot. The query's rows go through `hopscope.MODULE.answer`; the columns
  describe the rows that it returns. A parameter need not occur in the query then. See `hopscope.explain`.
* `asks COMMAND[, COMMAND]`: analyses whose rows the module of `then` may ask for, at their default grain. Parameters
  that both analyses have are passed on.
* `reads NAME[, NAME]`: tables of the dataset and views that the module of `then` may read as a whole.
* `object NAME`: as JSON, the rows are the list NAME of an object.
* `row NAME is COLUMN VALUE`: in a gate, NAME stands for the first row that has this value.
* `zero NAME[, NAME]`: in a gate, all columns of a row of this name are zero if the answer has no such row.
* `uncertain COLUMN by COLUMN`: a gate on the first column is undecided if adding the second would change its result.
* `describes COLUMN instead COLUMN`: the first column only describes what happened. If a gate on it fails, the message
  points to the second column, which gates should use.
* `whole run`: the analysis is about the trace as a whole; no part of the run can be chosen.
* `fail-if EXPRESSION`: a gate that this command always applies.
* `empty note SENTENCE` or `empty error SENTENCE`: the message if there is no row; with `error` that is an input error
  (exit 2).
* `example COMMAND`: one line that a reader can type.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

Scalar = bool | int | float | str | None

PARAMETER_TYPES = ("INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "COLLECTIVE", "TRACE", "TRACES")
UNITS = ("ns", "at", "bytes", "share", "of unit")

_DIRECTIVE = re.compile(
    r"(grain|param|key|column|columns|uses|bar|paragraphs|above|headline|only-data|narrow|uncertain|describes|exact|then|asks|reads|object|row|zero|whole|kept|fail-if|empty|example)"
    r" (.*)"
)
_GRAIN = re.compile(
    r"(?P<option>[a-z_]+)(?: = (?P<value>[a-z-]+)(?P<default> default)?( formerly (?P<formerly>[a-z-]+))?| given)"
)
_PARAM = re.compile(
    r"(?P<name>[a-z_0-9]+) (?P<type>[A-Z]+|[a-z0-9-]+(?:\|[a-z0-9-]+)+) = (?P<default>.+?) -- (?P<meaning>.+)"
)
_COLUMN = re.compile(r"(?P<name>[a-z_0-9]+) (?P<type>[A-Z]+(?:\[\])?)(?: \[(?P<unit>[a-z ]+)\])? -- (?P<meaning>.+)")
_COLUMNS_OF = re.compile(r"of (?P<macro>[a-z_0-9]+)(?:: (?P<names>.+))?")
_ABOVE = re.compile(r"(?P<column>[a-z_0-9]+) = (?P<words>.+)")
_PARAMETER = re.compile(r"\$(\w+)")
_MODULE = re.compile(r"(?P<module>[a-z_.]+) -- (?P<meaning>.+)")
_DESCRIBES = re.compile(r"(?P<column>[a-z_0-9]+) instead (?P<gate_on>[a-z_0-9]+)")
_ROW = re.compile(r"(?P<name>[a-z-]+) is (?P<column>[a-z_0-9]+) (?P<value>\S+)")
_UNCERTAIN = re.compile(r"(?P<column>[a-z_0-9]+) by (?P<by>[a-z_0-9]+)")


class HeaderError(Exception):
    """The header of a `.sql` file breaks the format above. This is a mistake in the program, not of its user."""


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
        """The words that are allowed, if the type is a closed list of words."""
        return tuple(self.type.split("|")) if "|" in self.type else ()


@dataclass(frozen=True)
class Grain:
    """The option that chooses this file: `--option value` or, if `value` is None, the parameter `option` is given."""

    option: str
    value: str | None
    default: bool = False
    formerly: str | None = None
    """An older value that means the same."""


@dataclass(frozen=True)
class Source:
    """One `.sql` file: the texts of its header, and its SQL. This is all for a view or macro of `staging/` and
    `steps/`; an analysis has more fields."""

    name: str
    help: str
    concept: str
    uses: tuple[str, ...]
    sql: str
    columns: tuple[Column, ...] = ()
    keeps_rows: bool = False


@dataclass(frozen=True)
class Analysis(Source):
    """One analysis at one grain."""

    grain: Grain | None = None
    parameters: tuple[Parameter, ...] = ()
    key: tuple[str, ...] = ()
    bar: str | None = None
    paragraphs: tuple[tuple[str, str], ...] = ()
    """Pairs of the words before a column and the column."""
    above: tuple[str, tuple[str, ...]] | None = None
    """A column, and the words in it whose paragraphs come before the others."""
    headline: str | None = None
    only_data: tuple[str, ...] = ()
    narrow: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    then: str | None = None
    then_meaning: str = ""
    asks: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    object: str | None = None
    named_rows: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    zero: tuple[str, ...] = ()
    uncertain: Mapping[str, str] = field(default_factory=dict[str, str])
    describes: Mapping[str, str] = field(default_factory=dict[str, str])
    whole_run: bool = False
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

    @property
    def query_parameters(self) -> frozenset[str]:
        """The parameters that the query itself uses."""
        return frozenset(_PARAMETER.findall(self.sql))

    @property
    def base(self) -> str | None:
        """The parameter that holds another trace to compare with, if there is one."""
        return next((p.name for p in self.parameters if p.type == "TRACE"), None)


def _last_word(text: str) -> tuple[str, str]:
    head, _, last = text.rpartition(" ")
    return head, last


def parse(name: str, text: str, sources: Mapping[str, Source] = MappingProxyType({})) -> Analysis:
    """The analysis in the text of the file `name`.sql. sources: the macros whose columns it may declare. Raises
    HeaderError naming file and line."""
    source, directives = split(name, text)
    values: dict[str, list[str]] = {}
    for word, value in directives:
        values.setdefault(word, []).append(value)
    columns = columns_in(name, directives, sources)
    for required, presence in (("key", "key" in values), ("column", columns), ("example", "example" in values)):
        if not presence:
            raise HeaderError(f"{name}.sql: the header has no `{required}`")
    key = _names(values["key"][0])
    bar = values["bar"][0] if "bar" in values else None
    headline = values["headline"][0] if "headline" in values else None
    above = _match(_ABOVE, name, values["above"][0]) if "above" in values else None
    paragraphs = [_last_word(name) for value in values.get("paragraphs", []) for name in _names(value)]
    only_data = tuple(n for value in values.get("only-data", []) for n in _names(value))
    narrow = tuple(n for value in values.get("narrow", []) for n in _names(value))
    uncertain = {m["column"]: m["by"] for m in (_match(_UNCERTAIN, name, v) for v in values.get("uncertain", []))}
    describes = {m["column"]: m["gate_on"] for m in (_match(_DESCRIBES, name, v) for v in values.get("describes", []))}
    column_names = {column.name for column in columns}
    exact = tuple(n for value in values.get("exact", []) for n in _names(value))
    exact = tuple(column.name for column in columns) if exact == ("*",) else exact
    module_match = _match(_MODULE, name, values["then"][0]) if "then" in values else None
    other_columns = (*uncertain, *uncertain.values(), *describes, *describes.values())
    for column in (
        *key,
        *([bar] if bar else []),
        *([headline] if headline else []),
        *(column for _, column in paragraphs),
        *([above["column"]] if above else []),
        *only_data,
        *narrow,
        *exact,
        *other_columns,
    ):
        if column not in column_names:
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
        paragraphs=tuple(paragraphs),
        above=(above["column"], _names(above["words"])) if above else None,
        headline=headline,
        only_data=only_data,
        narrow=narrow,
        exact=exact,
        then=module_match["module"] if module_match else None,
        then_meaning=module_match["meaning"] if module_match else "",
        asks=tuple(n for value in values.get("asks", []) for n in _names(value)),
        reads=tuple(n for value in values.get("reads", []) for n in _names(value)),
        object=values["object"][0] if "object" in values else None,
        named_rows={
            m["name"]: (m["column"], m["value"]) for m in (_match(_ROW, name, v) for v in values.get("row", []))
        },
        zero=tuple(n for value in values.get("zero", []) for n in _names(value)),
        uncertain=uncertain,
        describes=describes,
        whole_run="whole" in values,
        gates=tuple(values.get("fail-if", [])),
        empty=empty or None,
        empty_is_error=empty_kind == "error",
        examples=tuple(values["example"]),
    )


def split(name: str, text: str) -> tuple[Source, list[tuple[str, str]]]:
    """Split a `.sql` file into its source and directives as (word, value). Raises HeaderError."""
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


def columns_in(name: str, directives: Sequence[tuple[str, str]], sources: Mapping[str, Source]) -> tuple[Column, ...]:
    """The columns that a header declares, its own and those of macros, in order. Raises HeaderError."""
    columns: list[Column] = []
    for word, value in directives:
        if word == "column":
            columns.append(_column(name, value))
        elif word == "columns":
            columns += _columns_of(name, value, sources)
    return tuple(columns)


def _columns_of(name: str, value: str, sources: Mapping[str, Source]) -> list[Column]:
    match = _match(_COLUMNS_OF, name, value)
    declared = {column.name: column for column in sources[match["macro"]].columns} if match["macro"] in sources else {}
    names = _names(match["names"]) if match["names"] else tuple(declared)
    if not names or not declared.keys() >= set(names):
        declared_names = comma_list(list(declared)) or "no column"
        raise HeaderError(f"{name}.sql: `columns {value}`, but {match['macro']} declares {declared_names}")
    return [declared[column] for column in names]


def _match(pattern: re.Pattern[str], name: str, value: str) -> re.Match[str]:
    match = pattern.fullmatch(value)
    if match is None:
        raise HeaderError(f"{name}.sql: cannot read {value!r} in the header")
    return match


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(","))


def _grain(name: str, value: str) -> Grain:
    match = _match(_GRAIN, name, value)
    return Grain(match["option"], match["value"], match["default"] is not None, match["formerly"])


def _parameter(name: str, value: str) -> Parameter:
    match = _match(_PARAM, name, value)
    if match["type"] not in PARAMETER_TYPES and "|" not in match["type"]:
        raise HeaderError(f"{name}.sql: no parameter type {match['type']}; there are {comma_list(PARAMETER_TYPES)}")
    return Parameter(match["name"], match["type"], json.loads(match["default"]), match["meaning"])


def _column(name: str, value: str) -> Column:
    match = _match(_COLUMN, name, value)
    unit = match["unit"] or unit_of(match["name"])
    if unit is not None and unit not in UNITS:
        raise HeaderError(f"{name}.sql: no unit [{unit}]; there are {comma_list(UNITS)}")
    return Column(match["name"], match["type"], match["meaning"], unit)


def unit_of(column: str) -> str | None:
    """The unit that the end of a column's name gives; None if it gives none."""
    for unit, suffix in (("ns", "_ns"), ("bytes", "_bytes"), ("share", "_share")):
        if column.endswith(suffix) or (column == unit and unit != "ns"):
            return unit
    return None


def comma_list(words: Sequence[str]) -> str:
    """The words, separated by commas."""
    return ", ".join(words)
