"""The first sentence of each page, from rows written by hand."""

from typing import Any

from hopscope_dashboard.sentences.algorithms import of_algorithms, of_settings
from hopscope_dashboard.sentences.arrivals import of_arrivals, of_late_ranks
from hopscope_dashboard.sentences.hops import of_delayed_hops, of_wan_share
from hopscope_dashboard.sentences.noise import of_noise, of_periods
from hopscope_dashboard.sentences.sentence import Sentence


def require(sentence: Sentence | None) -> Sentence:
    assert sentence is not None
    return sentence


def test_another_tree_is_spoken_of_only_where_the_path_crosses_more_than_once_each_way() -> None:
    def evidence(crossings: float) -> str:
        return require(of_wan_share([{"scope": "critical_path", "share": 0.4, "crossings": crossings}])).evidence

    assert "5.97 times; a tree that gathers each cluster first" in evidence(5.97)
    assert evidence(0.426).endswith("crosses between clusters 0.426 times.")
    assert of_wan_share([{"scope": "critical_path", "share": None, "crossings": 0}]) is None


ARRIVAL = {
    "share": 0.0, "share_low": None, "share_high": None, "cause_share": 0.0, "cause": False, "cost_share": 0.0,
    "late": False, "chance": 0.25, "cause_low": None, "cause_chance": 0.25, "undecided": 0.0,
    "waiting_ns": 0, "collectives": 40,
}  # fmt: skip


def test_a_rank_is_called_slow_only_if_its_computing_is_the_cause() -> None:
    slow = [
        {**ARRIVAL, "rank": 0},
        {**ARRIVAL, "rank": 3, "cause": True, "cause_share": 0.97, "late": True, "share": 0.9, "cost_share": 0.3},
    ]
    sentence = require(of_arrivals(slow))
    assert sentence.text == "Rank 3 is slow: its computing led to the last arrival in 97.0 % of the collectives."
    assert sentence.part == {"ranks": "3"}
    assert sentence.evidence == "The excess computing takes 30.0 % of the critical path."
    sentence = require(of_arrivals([{**ARRIVAL, "rank": 7, "late": True, "share": 0.98, "released_share": 0.96}]))
    assert sentence.text == "Rank 7 enters last in 98.0 % of its collectives, but not through slow computing."
    assert sentence.evidence == (
        "The last arrivals go back to rank 7, which the previous collective released last (96.0 % of all)."
    )


def test_every_late_rank_is_named_with_its_own_share() -> None:
    arrivals = [
        {**ARRIVAL, "rank": 7, "late": True, "share": 0.59, "released_share": 0.81},
        {**ARRIVAL, "rank": 6, "late": True, "share": 0.35, "released_share": 0.17},
        {**ARRIVAL, "rank": 5, "released_share": 0.0},
    ]
    sentence = require(of_arrivals(arrivals))
    assert sentence.text.startswith("Ranks 7 and 6 enter last (rank 7 in 59.0 %, rank 6 in 35.0 % of its own")
    assert "(rank 7 in 81.0 %, rank 6 in 17.0 % of all)" in sentence.evidence
    assert sentence.part == {"ranks": "6,7"}


def test_a_cause_that_costs_little_is_not_called_chance() -> None:
    # Regression: "No rank's computing makes the others wait more often than by chance", for a rank that did so in 80 %.
    rank_1 = {
        **ARRIVAL,
        "rank": 1,
        "late": True,
        "share": 0.8,
        "cause_share": 0.8,
        "cause_low": 0.6,
        "cost_share": 0.013,
    }
    sentence = require(of_arrivals([{**ARRIVAL, "rank": 0}, rank_1]))
    assert sentence.text == "No rank's computing costs the others much."
    assert sentence.evidence == (
        "Rank 1's computing led to the last arrival in 80.0 % of 40 collectives and takes 1.3 % of the critical path."
    )


def test_nobody_is_named_where_chance_explains_it_or_the_run_is_too_short() -> None:
    half = {**ARRIVAL, "chance": 0.5, "share": 0.62, "share_low": 0.51, "share_high": 0.7}
    sentence = require(of_arrivals([{**half, "rank": 0}, {**half, "rank": 1, "share": 0.38}]))
    assert sentence.text == "No rank is last often enough to blame."
    assert sentence.evidence == "Rank 0 is last most often, in 62.0 % of its collectives (chance: 50.0 %)."
    sentence = require(of_arrivals([{**ARRIVAL, "rank": 0, "late": None, "cause": None}]))
    assert "too few collectives" in sentence.text
    # One of six ranks is last in nine of 14 collectives: too few to be sure, though it costs a fifth of the path.
    sentence = require(of_arrivals([{**ARRIVAL, "rank": 3, "cause": None, "cost_share": 0.2}]))
    assert sentence.text == "Rank 3 may be slow: the collectives are too few to be sure."
    assert sentence.part == {"ranks": "3"}


def test_the_algorithm_that_crosses_most_is_named_or_else_the_one_that_ran_most() -> None:
    linear = {"op": "MPI_Bcast", "algorithm": "linear", "source": "native", "collectives": 30, "crossings": 1}
    crossing = {**linear, "op": "MPI_Reduce", "algorithm": "binomial", "collectives": 5, "crossings": 3}
    unknown = {**linear, "algorithm": "unrecognised", "crossings": None}
    sentence = require(of_algorithms([linear, crossing], 2))
    assert sentence.text == (
        "The MPI library ran MPI_Reduce as binomial, which crosses between clusters 3 times in a row."
    )
    assert sentence.part == {"operation": "MPI_Reduce"}
    sentence = require(of_algorithms([linear, crossing, unknown], 1))
    assert sentence.text == "The MPI library ran MPI_Bcast as linear."
    assert sentence.evidence.endswith("In 30 the messages fit no algorithm that Hopscope knows.")
    assert "fit no algorithm" in require(of_algorithms([unknown], 2)).text
    assert of_algorithms([], 2) is None


def test_the_setting_that_was_ignored_most_often_is_named() -> None:
    row = {"op": "MPI_Bcast", "algorithm": "binomial", "asked": "chain (2)", "collectives": 6, "first": "0:3"}
    good = {**row, "obeyed": "yes", "why": None, "since_ns": None}
    bad = {**row, "op": "MPI_Reduce", "obeyed": "no", "why": "it is not set", "since_ns": 20, "collectives": 2}
    sentence = require(of_settings([good, bad, {**good, "asked": None, "obeyed": None}]))
    assert sentence.text == (
        "The MPI library did not follow your settings: "
        "MPI_Reduce ran as binomial, not as chain (2), because it is not set."
    )
    assert sentence.evidence == "2 of 8 collectives for which they ask; the first is 0:3."
    assert require(of_settings([good])).text == "The MPI library ran the algorithms that your settings ask for."
    undecided = require(of_settings([{**good, "obeyed": "undecided", "why": "its rules are not known"}]))
    assert undecided.text.startswith("It is undecided")
    assert undecided.evidence == "Its rules are not known."
    assert of_settings([{**good, "asked": None, "obeyed": None}]) is None


def test_the_gravest_class_of_lateness_and_the_delay_that_moved_most_are_named() -> None:
    lateness = {"share": 0.9, "typical_ns": 3_000_000, "worst_ns": 4_000_000, "limit_ns": 1_000_000, "collectives": 40}
    rows = [{**lateness, "rank": 0, "class": "spikes"}, {**lateness, "rank": 2, "class": "always"}]
    sentence = require(of_late_ranks(rows, 1_000_000_000))
    assert sentence.text == "Rank 2 is always late."
    assert sentence.evidence == "By 3.00 ms in 90.0 % of its collectives, 4.00 ms at worst."
    assert require(of_late_ranks([{**lateness, "class": "never"}], 1_000_000_000)).text == "No rank is late."
    assert "too few" in require(of_late_ranks([{**lateness, "class": None}], 1_000_000_000)).text
    delayed = {"src": 2, "dst": 1, "collective": "0:3", "moved_ns": 4_000_000, "amplification": 0.4}
    sentence = require(of_delayed_hops([{**delayed, "moved_ns": 0}, delayed]))
    assert sentence.text == "One delayed hop, 2 → 1 in 0:3, made its collective 4.00 ms longer."
    assert require(of_delayed_hops([{**delayed, "moved_ns": 0}])).text.startswith("No delayed hop")


def test_ranks_whose_lateness_adds_up_to_nothing_are_not_named() -> None:
    """Regression: all 64 ranks of a run were `late in single spikes`, with 0.1 % of their collectives each."""
    spikes = {"share": 0.001, "typical_ns": 3_000_000, "worst_ns": 4_000_000, "collectives": 2000, "class": "spikes"}
    rows = [{**spikes, "rank": 5}, {**spikes, "rank": 7, "typical_ns": 4_000_000}]
    sentence = require(of_late_ranks(rows, 1_000_000_000))
    assert sentence.text == "No rank is late enough to matter."
    assert sentence.evidence == (
        "Rank 7 is late most, in 0.1 % of its collectives: 8.00 ms altogether, 0.8 % of the critical path."
    )
    assert require(of_late_ranks(rows, 800_000_000)).text == "Rank 7 is late in single spikes."
    assert require(of_late_ranks(rows, 0)).text == "Ranks 7 and 5 are late in single spikes."


def test_a_rank_that_cost_most_is_named_before_others_that_are_late_more_often() -> None:
    # Regression: a rank that was 40 ms late three times was not named, but two that were 2 ms late more often were.
    frequent = {"share": 0.2, "typical_ns": 2_000_000, "worst_ns": 3_000_000, "collectives": 40, "class": "sometimes"}
    spike = {"share": 0.075, "typical_ns": 40_000_000, "worst_ns": 41_000_000, "collectives": 40, "class": "spikes"}
    sentence = require(
        of_late_ranks([{**frequent, "rank": 3}, {**frequent, "rank": 0}, {**spike, "rank": 2}], 670_000_000)
    )
    assert sentence.text == "Rank 2 is late in single spikes."


NOISE: dict[str, Any] = {
    "rank": "any rank", "iterations": 12, "late_1ms": 0, "noise_ns": 0, "noise_share": 0.0, "paid_ns": 0,
}  # fmt: skip


def test_noise_that_could_not_be_judged_is_not_called_steady() -> None:
    sentence = require(of_noise([{**NOISE, "noise_ns": None, "paid_ns": None}], 100))
    assert sentence.text.startswith("Noise cannot be told")
    assert require(of_noise([NOISE], 100)).text.startswith("Computing is steady")


def test_noise_without_iterations_is_undecided() -> None:
    # Regression: "Computing is steady ... 0 iterations looked at", though noise took most of the critical path.
    sentence = require(of_noise([{**NOISE, "iterations": 0, "noise_ns": 90, "noise_share": 0.5, "paid_ns": 90}], 100))
    assert sentence.text == "Noise is undecided: there are no iterations to examine."
    assert sentence.evidence == "90 ns of noise lie on the critical path, 90.0 % of its length."


def test_noise_of_short_iterations_shows_by_its_share() -> None:
    # Regression: "Computing is steady", because no iteration of 60 us is 1 ms late.
    short = {**NOISE, "iterations": 97, "noise_ns": 30, "noise_share": 0.3, "paid_ns": 20}
    sentence = require(of_noise([short], 100))
    assert sentence.text == "Noise makes up 30.0 % of the computing in 97 iterations."
    assert sentence.evidence == "20 ns of it is on the critical path, 20.0 % of its length."


def test_noise_that_costs_next_to_nothing_does_not_matter() -> None:
    # Regression: the first page said "Noise makes some rank 1 ms late or more", though this noise had cost less than
    # 0.1 % of the path.
    slow_noise = {**NOISE, "iterations": 97, "late_1ms": 2, "noise_ns": 900, "noise_share": 0.2, "paid_ns": 100}
    assert (
        require(of_noise([slow_noise], 10_000)).text == "Noise makes some rank 1 ms late or more in 2 of 97 iterations."
    )
    sentence = require(of_noise([slow_noise], 10_001))
    assert sentence.text == "Noise costs too little to matter."
    assert sentence.evidence == (
        "It makes some rank 1 ms late or more in 2 of 97 iterations; 100 ns of it is on the critical path, 1.0 % of "
        "its length."
    )


def test_a_period_of_whole_iterations_may_be_the_programs_own() -> None:
    period = {"rank": 0, "periodic": True, "period_ns": 1e8, "resolution_ns": 1e6, "explained": 0.9}
    evidence = require(of_periods([{**period, "whole_iterations": 5}])).evidence
    assert evidence.endswith("The run cannot tell that from 5 iterations, so it may be the program's own.")
    assert "not a whole number of iterations" in require(of_periods([{**period, "whole_iterations": None}])).evidence
    assert "too little noise" in require(of_periods([{"rank": 0, "periodic": None}])).text
    assert require(of_periods([{"rank": 0, "periodic": False}])).text == "No rank's noise is periodic."
