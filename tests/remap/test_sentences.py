"""What is said of a suggestion: against what a gain is, by what iterations are counted, and that it may lose."""

from __future__ import annotations

from typing import Any

import pytest
from hopscope.remap.judging.guesses import Guesses
from hopscope.remap.judging.verdict import judge, sentence_of
from hopscope.remap.settings.setting_verdict import setting_sentence

MS = 1e6


def row(name: str, predicted_ms: float, high_ms: float, **more: Any) -> dict[str, Any]:
    """The run took 6 ms, and its replay takes 5."""
    gain = 1 - predicted_ms / 5
    return {
        "name": name,
        "today": name == "today",
        "chosen": False,
        "predicted_ns": predicted_ms * MS,
        "predicted_low_ns": 0.9 * predicted_ms * MS,
        "predicted_high_ns": high_ms * MS,
        "measured_ns": 6 * MS,
        "measured_low_ns": 0.96 * 6 * MS,
        "gain": gain,
        "gain_low": min(gain, 1 - high_ms / 6),
        "gain_high": 1 - 0.9 * predicted_ms / 6,
        "model_error": 1 / 6,
        "tried_ns": None,
        "operation": None,
        "unmeasured_pairs": 0,
    } | more


TODAY = row("today", 5, 6)


def of_setting(*rows: dict[str, Any]) -> str:
    return setting_sentence(
        [*rows, TODAY], "MPI_Allreduce", {}, [], library="Open MPI 5", ran="the MPI library's algorithm"
    )


def of_tree(*rows: dict[str, Any]) -> str:
    return sentence_of([*rows, TODAY], "MPI_Allreduce", {}, [])


def test_a_gain_says_against_what_it_is() -> None:
    """Regression: 14.9 % less, of the replay's 4.96 ms, stood beside the 5.46 ms that the run took."""
    said = of_setting(row("ring", 4, 4.5, chosen=True))
    assert said.startswith("ring of Open MPI 5 would take 4.00 ms (3.60 to 4.50 ms) per iteration of MPI_Allreduce. ")
    assert "The run took 6.00 ms per iteration by the MPI library's algorithm, and its replay 5.00 ms" in said
    assert said.endswith(": that is 20.0 % less than the replay, and 20.0 to 40.0 % less than the run.")
    said = of_tree(row("ring", 4, 4.5, chosen=True))
    assert "20.0 % less than today's tree, which takes 5.00 ms in the same replay and took 6.00 ms in the run" in said


@pytest.mark.parametrize("of", [of_setting, of_tree])
def test_a_suggestion_that_may_be_slower_than_the_run_says_so(of: Any) -> None:
    """Regression: one whose gain was 16.6 % (-95.8 to 91.2) was suggested without a word."""
    said = " A rerun may take up to 9.00 ms, which is more than this run took: run it once and compare"
    assert said in of(row("ring", 4, 9, chosen=True))
    assert said not in of(row("ring", 4, 5.5, chosen=True))


@pytest.mark.parametrize("of", [of_setting, of_tree])
def test_a_candidate_for_another_operation_says_by_what_iterations_are_counted(of: Any) -> None:
    assert "per iteration of MPI_Allreduce" in of(row("ring", 4, 5, chosen=True, operation="MPI_Allreduce"))
    assert "per iteration, counted by MPI_Allreduce" in of(row("ring", 4, 5, chosen=True, operation="MPI_Bcast"))


def test_where_nothing_is_set_the_table_s_first_row_is_named() -> None:
    said = of_setting(row("linear", 5.02, 6), row("ring", 5.01, 6))
    assert said.startswith("Leave MPI_Allreduce as it is: of what Open MPI 5 has, linear would take 5.02 ms")


def test_a_next_step_is_named_wherever_a_candidate_leans_on_something() -> None:
    """Regression: "leave it" left out that `--probe-missing` would show a gain of 40 %."""
    leaning = row("ring", 4, 9, unmeasured_pairs=1, alike_high_ns=5 * MS)
    guessed = {"ring": Guesses(pairs=((0, 1), (1, 0)))}
    for rows in ([leaning, TODAY], [row("linear", 4.2, 4.3, chosen=True), leaning, TODAY]):
        said = setting_sentence(rows, "MPI_Bcast", guessed, ["a", "b"], library="Open MPI 5", ran="it")
        assert "uses a pair of hosts that no hop measured (a-b): " in said and "`--probe-missing`" in said


def test_no_next_step_is_named_for_a_candidate_that_gains_by_no_guess() -> None:
    """Regression: "measure that with `--probe-missing`" stood in the answer to it, of one that takes longer in any
    case."""
    leaning = row("ring", 8, 9, unmeasured_pairs=1, alike_high_ns=9 * MS, predicted_low_ns=7 * MS)
    said = setting_sentence(
        [leaning, TODAY],
        "MPI_Bcast",
        {"ring": Guesses(pairs=((0, 1), (1, 0)))},
        ["a", "b"],
        library="Open MPI 5",
        ran="it",
    )
    assert "ring would take 8.00 ms" in said and "no hop measured" not in said


def test_an_interval_across_nothing_says_less_and_more() -> None:
    assert "20.0 % less than the replay, and from 50.0 % more to 40.0 % less than the run" in of_setting(
        row("ring", 4, 9)
    )
    assert "50.0 to 55.0 % more than the run" in of_setting(row("ring", 10, 9.3, gain_low=-0.55, gain_high=-0.5))


@pytest.mark.parametrize(("high_ms", "chosen"), [(4.4, "leaning"), (4.6, "sure")])
def test_one_that_leans_on_something_and_wins_in_any_case_is_suggested(high_ms: float, chosen: str) -> None:
    """Regression: one of 5.71 ms (5.48 to 5.99) was suggested before one of 3.42 that could take 3.7 at most."""
    rows = [
        row(name, at, high, model_error=0.01, wan_messages=2, gain=1 - at / 6)
        for name, at, high in (("sure", 5, 5.2), ("today", 6, 6.1))
    ]
    rows.append(
        rows[0]
        | {"name": "leaning", "unmeasured_links": 1, "predicted_ns": 3.4 * MS, "gain": 1 - 3.4 / 6}
        | {"predicted_high_ns": high_ms * MS, "alike_high_ns": 4 * MS}
    )
    assert rows[judge(rows, 0.01)[0]]["name"] == chosen


@pytest.mark.parametrize(("predicted_ms", "suggested"), [(5.03, False), (4.9, True)])
def test_a_gain_within_what_two_runs_differ_by_is_no_suggestion(predicted_ms: float, suggested: bool) -> None:
    """Regression: 5.03 ms were promised, the run before took 5.4 and the one after 5.55. Each may be 4 % off: up to
    5.23 against 5.18 at least."""
    ends = {"measured_ns": 5.4 * MS, "measured_low_ns": 0.96 * 5.4 * MS, "model_error": 0.01, "wan_messages": 2}
    rows = [
        row(name, at, 1.04 * at, gain=1 - at / 5.4, **ends) for name, at in (("ring", predicted_ms), ("today", 5.4))
    ]
    judge(rows, 0.01)
    assert rows[0]["chosen"] == suggested
    within = "That gain lies within what two runs of one program differ by."
    assert (within in sentence_of(rows, "MPI_Allreduce", {}, [])) == (not suggested)


def test_a_pair_of_hosts_that_is_used_one_way_is_named_so() -> None:
    rows = [row("ring", 4, 9, unmeasured_pairs=2, alike_high_ns=5 * MS, chosen=True)]
    guessed = {"ring": Guesses(pairs=((0, 1), (1, 0), (2, 1)))}
    said = sentence_of([*rows, TODAY], "MPI_Bcast", guessed, ["a", "b", "c"])
    assert "uses 2 pairs of hosts that no hop measured (a-b, c to b)" in said
