"""Gates: an expression has its documented meaning, a message tells the position of an error in it, and a gate that
cannot be evaluated never passes."""

import math
import operator

import pytest
from hopscope.errors import InputError
from hopscope.gate import Gate, evaluate, parse, worst
from hopscope.query import catalog
from hopscope.query.catalog import Analysis, Column
from hypothesis import given
from hypothesis import strategies as st

ANALYSIS = Analysis(
    name="drawn",
    help="",
    concept="",
    uses=(),
    sql="",
    key=("name",),
    columns=(
        Column("name", "VARCHAR", ""),
        Column("share", "DOUBLE", "", "share"),
        Column("time_ns", "BIGINT", "", "ns"),
        Column("size_bytes", "BIGINT", "", "bytes"),
        Column("value", "DOUBLE", "", "of unit"),
        Column("unit", "VARCHAR", ""),
        Column("late", "BOOLEAN", ""),
        Column("doubt", "DOUBLE", "", "share"),
    ),
    uncertain={"share": "doubt"},
)


def row(name: object = "wan", **values: object) -> dict[str, object]:
    empty = {column.name: None for column in ANALYSIS.columns}
    return {**empty, "name": name, **values}


def outcome(expression: str, *rows: dict[str, object]) -> str:
    return evaluate(parse(expression), ANALYSIS, rows).outcome


KEYS = st.text(min_size=1).filter(lambda text: "\x00" not in text)
OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
SPACES = st.sampled_from(["", " ", "   "])


def quoted(key: str) -> str:
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(key=KEYS, op=st.sampled_from(sorted(OPERATORS)), number=st.floats(-1e18, 1e18), a=SPACES, b=SPACES, c=SPACES)
def test_any_key_in_quotes_any_operator_and_any_number_come_back(  # noqa: PLR0917 - one per strategy
    key: str, op: str, number: float, a: str, b: str, c: str
) -> None:
    gate = parse(f"{a}{quoted(key)}.share{b}{op}{c}{number!r}")
    assert (gate.key, gate.column, gate.operator, gate.number, gate.unit) == (key, "share", op, number, None)


@given(text=st.text())
def test_any_text_is_a_gate_or_a_sentence_and_nothing_else(text: str) -> None:
    try:
        assert isinstance(parse(text), Gate)
    except InputError as error:
        assert "expected" in str(error)
        assert "at position" in str(error)


@given(
    value=st.floats(-1e6, 1e6),
    limit=st.integers(-1000, 1000),
    op=st.sampled_from(sorted(OPERATORS)),
)
def test_a_gate_fails_exactly_where_its_comparison_is_true(value: float, limit: int, op: str) -> None:
    expected = "failed" if OPERATORS[op](value, limit) else "passed"
    assert outcome(f"wan.time_ns {op} {limit}", row(time_ns=value)) == expected
    # An operator and its opposite never agree.
    opposite = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}[op]
    assert outcome(f"wan.time_ns {opposite} {limit}", row(time_ns=value)) != expected


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=6), limit=st.floats(0, 1))
def test_any_row_fails_if_one_does(values: list[float], limit: float) -> None:
    rows = [row(f"r{i}", share=value) for i, value in enumerate(values)]
    assert outcome(f"*.share > {limit!r}", *rows) == ("failed" if any(v > limit for v in values) else "passed")


@pytest.mark.parametrize(
    ("expression", "values", "verdict"),
    [
        ("wan.share > 40%", {"share": 0.41}, "failed"),
        ("wan.share > 40 %", {"share": 0.39}, "passed"),
        ("wan.time_ns > 5ms", {"time_ns": 5_000_001}, "failed"),
        ("wan.time_ns > 5ms", {"time_ns": 5_000_000}, "passed"),
        ("wan.time_ns >= 1.5 s", {"time_ns": 1_500_000_000}, "failed"),
        ("wan.time_ns < 2us", {"time_ns": 1_999}, "failed"),
        ("wan.time_ns == 7ns", {"time_ns": 7}, "failed"),
        ("wan.size_bytes > 1KiB", {"size_bytes": 1024}, "passed"),
        ("wan.size_bytes > 1KB", {"size_bytes": 1024}, "failed"),
        ("wan.value > 1ms", {"value": 2e6, "unit": "ns"}, "failed"),
        ("wan.late == 1", {"late": True}, "failed"),
        ("wan.late == 1", {"late": False}, "passed"),
        ("wan.share > -1e-3", {"share": 0.0}, "failed"),
    ],
)
def test_units_are_those_of_the_column(expression: str, values: dict[str, object], verdict: str) -> None:
    assert outcome(expression, row(**values)) == verdict


@pytest.mark.parametrize(
    ("expression", "values", "reason"),
    [
        ("lan.share > 1", {"share": 0.5}, "no row 'lan'; the rows are wan"),
        ("wan.speed > 1", {"share": 0.5}, "unknown column speed; the columns are name, share, time_ns"),
        ("wann.share > 1", {"share": 0.5}, "no row 'wann'; the rows are wan. Did you mean wan?"),
        ("wan.shar > 1", {"share": 0.5}, "doubt. Did you mean share?"),
        ("wan.share > 1", {"share": None}, "wan.share has no value"),
        ("wan.share > 1", {"share": math.nan}, "not a number"),
        ("wan.unit > 1", {"unit": "ns"}, "is the text 'ns'"),
        # 35 %, with another 10 % undecided, may or may not be more than 40 %.
        ("wan.share > 40%", {"share": 0.35, "doubt": 0.1}, "another 10.0 % is undecided"),
    ],
)
def test_what_cannot_be_judged_says_why(expression: str, values: dict[str, object], reason: str) -> None:
    evaluation = evaluate(parse(expression), ANALYSIS, [row(**values)])
    assert evaluation.outcome == "undecided"
    assert reason in evaluation.sentence


def test_the_undecided_part_does_not_matter_where_it_cannot_turn_the_gate() -> None:
    assert outcome("wan.share > 40%", row(share=0.45, doubt=0.1)) == "failed"
    assert outcome("wan.share > 40%", row(share=0.2, doubt=0.1)) == "passed"


def test_no_rows_at_all_cannot_be_judged() -> None:
    assert outcome("*.share > 0") == "undecided"


def test_the_sentence_names_the_row_and_its_value() -> None:
    sentence = evaluate(
        parse("*.time_ns > 5ms"), ANALYSIS, [row("lan", time_ns=1), row("wan", time_ns=7_200_000)]
    ).sentence
    assert sentence == "gate '*.time_ns > 5ms' fails: wan.time_ns is 7.20 ms"


def test_a_number_that_is_a_key_and_a_key_with_spaces_are_found() -> None:
    assert outcome("3.share > 0", row(3, share=1.0)) == "failed"
    assert outcome('"any rank".share > 0', row("any rank", share=1.0)) == "failed"


def test_a_unit_that_does_not_go_with_the_column_is_wrong_input() -> None:
    with pytest.raises(InputError, match="share is not a time"):
        outcome("wan.share > 5ms", row(share=0.5))
    with pytest.raises(InputError, match="time_ns is not a share"):
        outcome("wan.time_ns > 5%", row(time_ns=5))


def test_a_share_that_no_share_can_reach_is_wrong_input() -> None:
    # Regression: a user who wrote "wan.share > 40" meant 40 %, and the gate could never fail.
    with pytest.raises(InputError, match=r"between 0 and 1; write 40% or 0\.4"):
        outcome("wan.share > 40", row(share=0.9))


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("", 'a key, "a quoted key" or * at position 1'),
        ("wan", "'.' at position 4"),
        ("wan.", "a column at position 5"),
        ("wan.share", "one of < <= > >= == != at position 10"),
        ("wan.share >", "a number at position 12"),
        ("wan.share = 1", "at position 11"),
        ("wan.share > 4e400", "a smaller number at position 13"),
        ("wan.share > baseline * -4e400 %", "a smaller number at position 24"),
        ("wan.share > 1 parsec", "a unit of"),
        ("wan.share > 1 % or", "the end at position 17"),
        ('"wan.share > 1', 'a closing " for the one here at position 1'),
        ("wan.share > 1; import os", "the end at position 14"),
    ],
)
def test_what_does_not_parse_says_where_it_stops(expression: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(expression)
    assert place in str(caught.value)


def test_failed_outweighs_undecided_which_outweighs_passed() -> None:
    passed, failed, undecided = (
        evaluate(parse(f"wan.share > {limit}"), ANALYSIS, [row(share=share)])
        for limit, share in ((1, 0.5), (0, 0.5), (0, None))
    )
    assert worst([]) == "passed"
    assert worst([passed, undecided]) == "undecided"
    assert worst([passed, undecided, failed]) == "failed"


@pytest.mark.parametrize(
    ("expression", "current", "baseline", "verdict"),
    [
        ("wan.share > baseline", 0.41, 0.40, "failed"),
        ("wan.share > baseline + 5%", 0.44, 0.40, "passed"),  # the limit is 40 % + 5 % = 45 %
        ("wan.share > baseline + 5 %", 0.46, 0.40, "failed"),
        ("wan.share < baseline - 0.1", 0.29, 0.40, "failed"),
        ("wan.time_ns > baseline * 1.1", 111, 100, "failed"),
        ("wan.time_ns > baseline * 110%", 110, 100, "passed"),
        ("wan.time_ns > baseline + 1us", 1101, 100, "failed"),
        ("*.time_ns != baseline", 100, 100, "passed"),
    ],
)
def test_a_baseline_is_the_same_row_and_column_of_another_run(
    expression: str, current: float, baseline: float, verdict: str
) -> None:
    gate = parse(expression)
    rows = ([row(**{gate.column: current})], [row("lan"), row(**{gate.column: baseline})])
    assert evaluate(gate, ANALYSIS, *rows).outcome == verdict


@pytest.mark.parametrize(
    ("current", "baseline", "verdict"),
    [
        ([("noise", 0.3)], [("imbalance", 0.15)], "failed"),  # 30 % is more than 15 % + 10 %
        ([("noise", 0.3)], [("imbalance", 0.25)], "passed"),
        ([("noise", 0.3)], [], "failed"),  # a problem that does not exist costs nothing
        ([], [("imbalance", 0.25)], "passed"),
    ],
)
def test_the_costliest_problem_is_compared_with_the_baselines_whatever_its_kind(
    current: list[tuple[str, float]], baseline: list[tuple[str, float]], verdict: str
) -> None:
    """Regression: the gate could not be evaluated if the costliest problem was of another kind than the baseline's."""
    rows, base = (
        [{"kind": kind, "severity": "PROBLEM", "cost_share": cost} for kind, cost in side]
        for side in (current, baseline)
    )
    gate = parse("problem.cost_share > baseline + 10%")
    assert evaluate(gate, catalog.load().command("diagnose").default, rows, base).outcome == verdict


@pytest.mark.parametrize(
    ("base", "reason"),
    [
        (None, "give one with `analyze gate --baseline BASE`"),
        ([], "the baseline has no row 'wan'"),
        ([row(share=None)], "wan.share of the baseline has no value"),
    ],
)
def test_without_the_baselines_value_nothing_is_judged(base: list[dict[str, object]] | None, reason: str) -> None:
    evaluation = evaluate(parse("wan.share > baseline"), ANALYSIS, [row(share=0.5)], base)
    assert evaluation.outcome == "undecided"
    assert reason in evaluation.sentence


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("wan.share > baseline 5%", "+, -, * or the end at position 22"),
        ("wan.share > baseline + ", "a number at position"),
        ("wan.time_ns > baseline * 2ms", "a factor, without ms"),
        ("wan.share > baselines", "+, -, * or the end"),
    ],
)
def test_a_baseline_that_does_not_parse_says_where(expression: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(expression)
    assert place in str(caught.value)
