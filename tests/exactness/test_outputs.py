"""The comparison of outputs leaves out times, and nothing else."""

from outputs import Rules, compare

TABLE = """\
TIME     M  NB  LU Time   MFLOPS CHECK  Residual
---- ----- --- -------- -------- ------ --------

WALL     4   2     {time}     0.79 {word}   {residual}
Finished {tests} tests
"""
RULES = Rules(timed_columns="Time|MFLOPS", residuals="Residual", largest_residual=1, bound=1e-6)


def table(time: str = "0.00", word: str = "PASSED", residual: str = "0.4", tests: int = 240) -> str:
    return TABLE.format(time=time, word=word, residual=residual, tests=tests)


def differences(expected: str, actual: str, same_order: bool = False, rules: Rules = RULES) -> list[str]:
    return compare(expected, actual, rules, same_order).differences


def test_timed_columns_may_differ() -> None:
    assert differences(table(time="0.00"), table(time="7.31"), same_order=True) == []


def test_words_and_whole_numbers_must_be_the_same() -> None:
    assert differences(table(), table(word="FAILED")) == ["line 4: 'FAILED' instead of 'PASSED'"]
    assert differences(table(), table(tests=239)) == ["line 5: '239' instead of '240'"]


def test_residuals_need_only_be_small_where_sums_have_another_order() -> None:
    assert differences(table(), table(residual="0.9")) == []
    assert differences(table(), table(residual="1.9")) == ["line 4: residual 1.9 instead of 0.4"]
    assert differences(table(), table(residual="0.5"), same_order=True) == ["line 4: 0.5 instead of 0.4"]


def test_fractions_are_held_against_the_bound() -> None:
    rules = Rules(timed_lines="^Loop time", bound=1e-6)
    expected = "100    -4.7875609  2.0e3\nLoop time of 6.6\n"
    comparison = compare(expected, "100    -4.7875611  2.0e3\nLoop time of 9.9\n", rules, same_order=False)
    assert (comparison.exact, comparison.fractions, comparison.differences) == (1, 2, [])
    assert 4.1e-8 < comparison.largest < 4.3e-8
    assert differences(expected, "100    -4.7876609  2.0e3\n", rules=rules) == [
        "line 1: -4.7876609 instead of -4.7875609"
    ]
    assert differences(expected, "100    -4.7875611  2.0e3\n", same_order=True, rules=rules) != []


def test_a_line_too_few_is_seen() -> None:
    assert differences("one\ntwo\n", "one\n") == ["1 fields instead of 2"]
