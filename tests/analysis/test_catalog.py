"""The headers of queries: every `.sql` file has a complete header that describes its result; a broken header is
reported."""

import re
from pathlib import Path

import hopscope
import pytest
from drawing import draw
from hopscope.explain import function_of
from hopscope.query import catalog
from hopscope.query.catalog import Analysis, HeaderError, parse, read

ANALYSES = [analysis for command in catalog.load().commands.values() for analysis in command.grains]
SOURCES = list(catalog.load().sources.values())
ROOMS = ("staging", "steps", "analyses", "computed")


def name_of(source: catalog.Source) -> str:
    return source.name


@pytest.mark.parametrize("analysis", [a for a in ANALYSES if a.then is None], ids=name_of)
def test_the_header_lists_the_columns_that_the_query_gives(analysis: Analysis, tmp_path: Path) -> None:
    # DuckDB reports names and types of columns also for empty tables.
    trace = hopscope.open(draw(tmp_path / "d"))
    assert trace.describe(analysis) == [(column.name, column.type) for column in analysis.columns]


@pytest.mark.parametrize("analysis", ANALYSES, ids=name_of)
def test_an_analysis_is_explained_and_gives_an_example_of_itself(analysis: Analysis) -> None:
    assert len(analysis.concept) > 80
    assert all(len(column.meaning) > 3 and column.meaning.endswith(".") for column in analysis.columns)
    assert all(parameter.meaning.endswith(".") for parameter in analysis.parameters)
    argument = "base trace" if analysis.base else "trace"
    assert all(example.startswith(f"analyze {analysis.command} {argument}") for example in analysis.examples)
    grain = analysis.grain
    if grain and not grain.default:
        assert f"--{grain.option} {grain.value or ''}".strip() in analysis.examples[0]


# Shares that describe an interval, chance or a spectrum, and have no interval themselves.
PLAIN_SHARES = {"chance", "cause_chance", "undecided", "explained", "false_alarm",
                "share_of_run", "cost_share"}  # fmt: skip
# Quotients of the whole run, as POP defines them. The replay that computes them has no blocks to resample.
EFFICIENCIES = {
    "efficiency", "useful_share", "computation_scaling", "global_efficiency", "parallel_efficiency", "load_balance",
    "communication_efficiency", "serialisation", "transfer",
}  # fmt: skip


@pytest.mark.parametrize("analysis", ANALYSES, ids=name_of)
def test_every_share_carries_its_interval(analysis: Analysis) -> None:
    names = {column.name for column in analysis.columns}
    shares = {c.name for c in analysis.columns if c.unit == "share" and not c.name.endswith(("_low", "_high"))}
    bare = {
        name
        for name in shares - PLAIN_SHARES - EFFICIENCIES
        if not any({f"{base}_low", f"{base}_high"} <= names for base in (name, name.removesuffix("_share")))
    }
    assert bare == set()


@pytest.mark.parametrize("analysis", ANALYSES, ids=name_of)
def test_parameters_of_the_header_are_those_of_the_query(analysis: Analysis) -> None:
    used = set(re.findall(r"\$(\w+)", analysis.sql))
    declared = {parameter.name for parameter in analysis.parameters}
    assert used == declared or (analysis.then is not None and used < declared)


@pytest.mark.parametrize("source", [*SOURCES, *ANALYSES], ids=name_of)
def test_a_file_declares_the_views_and_macros_that_it_reads(source: catalog.Source) -> None:
    words = set(re.findall(r"[a-z_]+", re.sub(r"--.*|'[^']*'", "", source.sql)))
    # A column may have the name of a view; only names that are read or called count.
    read_names = {
        n for n in catalog.load().sources if n in words and re.search(rf"(?:from|join)\s+{n}\b|\b{n}\(", source.sql)
    }
    assert read_names - {source.name} <= set(source.uses)


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_a_view_or_macro_has_the_name_of_its_file(source: catalog.Source) -> None:
    assert re.match(rf"create or replace (view|macro) {source.name}\b", source.sql)


@pytest.mark.parametrize("analysis", ANALYSES, ids=name_of)
def test_what_goes_on_in_python_is_a_module_that_is_there(analysis: Analysis) -> None:
    if analysis.then is not None:
        assert function_of(analysis.then).__module__ == f"hopscope.{analysis.then}"
        assert analysis.then_meaning.endswith(".")


@pytest.mark.parametrize("analysis", ANALYSES, ids=name_of)
def test_rows_come_in_a_declared_order(analysis: Analysis) -> None:
    assert re.search(r"^order by", analysis.sql, re.MULTILINE)


def test_an_analysis_that_waits_for_every_table_of_the_contract_is_not_there_by_accident() -> None:
    assert {"summary", "critical-path", "last-arrivals", "noise", "wan-share", "check-data", "collectives"} <= set(
        catalog.load().commands
    )
    assert catalog.load().command("critical_path").choices == {
        "by": ["category", "cluster", "edge", "host", "operation", "place", "call-site", "rank"]
    }


HEADER = """\
-- Answers something.
--
-- The concept, explained.
--
-- param least BIGINT = 3 -- At least this many.
-- key name
-- column name VARCHAR -- The name,
--    said in two lines.
-- column time_ns BIGINT -- The time.
-- column seen_share DOUBLE -- The part seen.
-- bar seen_share
-- example analyze drawn trace
select 'a' as name, $least as time_ns, 0.5 as seen_share
order by name
"""


def test_a_header_is_read_as_documented() -> None:
    analysis = parse("drawn.by_name", HEADER)
    assert (analysis.command, analysis.help, analysis.concept) == (
        "drawn",
        "Answers something.",
        "The concept, explained.",
    )
    assert [(c.name, c.type, c.unit) for c in analysis.columns] == [
        ("name", "VARCHAR", None),
        ("time_ns", "BIGINT", "ns"),
        ("seen_share", "DOUBLE", "share"),
    ]
    assert analysis.columns[0].meaning == "The name, said in two lines."
    assert analysis.parameters[0].default == 3
    assert analysis.sql.startswith("select 'a'")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("-- Answers something.\n--", "-- Answers something\n--", "first line"),
        ("-- The concept, explained.\n", "", "does not explain"),
        ("-- key name\n", "", "no `key`"),
        ("-- key name", "-- key nobody", "'nobody' that it does not declare"),
        ("-- bar seen_share", "-- sparkle seen_share", "is no directive"),
        ("least BIGINT", "least TEXT", "no parameter type TEXT"),
        ("seen_share DOUBLE --", "seen_share DOUBLE [parsec] --", "no unit"),
        ("-- column time_ns BIGINT -- The time.", "-- column time_ns", "cannot read 'time_ns'"),
        ("-- column time_ns BIGINT -- The time.", "-- columns of nothing", "nothing declares no column"),
    ],
)
def test_a_broken_header_says_what_is_wrong(old: str, new: str, complaint: str) -> None:
    assert old in HEADER
    with pytest.raises(HeaderError, match=re.escape(complaint)):
        parse("drawn", HEADER.replace(old, new))


def test_a_new_file_is_a_new_command_and_two_defaults_are_refused(tmp_path: Path) -> None:
    for room in ROOMS:
        (tmp_path / room).mkdir()
    (tmp_path / "analyses" / "my_question.sql").write_text(HEADER)
    assert list(read(tmp_path).commands) == ["my-question"]
    (tmp_path / "analyses" / "my_question.other.sql").write_text(HEADER)
    with pytest.raises(HeaderError, match="2 default grains"):
        read(tmp_path)


def test_grains_share_the_columns_that_their_macro_declares(tmp_path: Path) -> None:
    for room in ROOMS:
        (tmp_path / room).mkdir()
    shared = "-- column time_ns BIGINT -- The time.\n-- column seen_share DOUBLE -- The part seen.\n"
    (tmp_path / "steps" / "seen.sql").write_text(f"-- A macro.\n--\n-- Of seeing.\n--\n{shared}select 1")
    grain = tmp_path / "analyses" / "drawn.sql"
    grain.write_text(HEADER.replace(shared, "-- columns of seen\n"))
    assert read(tmp_path).command("drawn").default.columns == parse("drawn", HEADER).columns
    grain.write_text(HEADER.replace(shared, "-- columns of seen: seen_share\n"))
    assert [column.name for column in read(tmp_path).command("drawn").default.columns] == ["name", "seen_share"]
    grain.write_text(HEADER.replace(shared, "-- columns of seen: seen_shares\n"))
    with pytest.raises(HeaderError, match="seen declares time_ns, seen_share"):
        read(tmp_path)


def test_views_that_use_one_another_in_a_circle_are_refused(tmp_path: Path) -> None:
    for room in ROOMS:
        (tmp_path / room).mkdir()
    for name, dependency in (("one", "other"), ("other", "one")):
        (tmp_path / "steps" / f"{name}.sql").write_text(
            f"-- A view.\n--\n-- Of a view.\n--\n-- uses {dependency}\nselect 1"
        )
    with pytest.raises(HeaderError, match="a cycle"):
        read(tmp_path).ordered(["one"])
    with pytest.raises(HeaderError, match="neither staging nor steps"):
        read(tmp_path).ordered(["nothing"])
