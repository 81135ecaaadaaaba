"""Findings about noise, on rows written by hand."""

from dataclasses import replace

from hopscope.findings.finding import Finding, Run
from hopscope.findings.noise import of_noise, of_periods

RUN = Run(
    collectives=40,
    whole_collectives=40,
    hops=0,
    iterations=12,
    most_calls=12,
    clusters=1,
    crossings=None,
    path_ns=100,
    loop_path_ns=100,
    wan_share=None,
    hops_share=None,
)


def there(finding: Finding | None) -> Finding:
    assert finding is not None
    return finding


def test_noise_that_could_not_be_judged_is_not_called_steady() -> None:
    anyone = {
        "rank": "any rank",
        "iterations": 12,
        "late_1ms": 0,
        "noise_ns": None,
        "noise_share": 0.0,
        "paid_ns": None,
    }
    said = there(of_noise([anyone], RUN))
    assert (said.sentence.startswith("Noise cannot be told"), said.severity) == (True, "undecided")
    said = there(of_noise([{**anyone, "noise_ns": 0}], RUN))
    assert (said.sentence.startswith("Computing is steady"), said.severity) == (True, "fine")


def test_noise_without_iterations_is_undecided_for_the_true_reason() -> None:
    # Regression: "Computing is steady ... 0 iterations looked at", where noise took most of the critical path.
    anyone = {"rank": "any rank", "iterations": 0, "late_1ms": None, "noise_ns": 90, "noise_share": 0.5, "paid_ns": 90}
    finding = there(of_noise([anyone], replace(RUN, iterations=0, most_calls=4)))
    assert (finding.severity, finding.value) == ("undecided", None)
    assert finding.evidence == (
        "The run has no iterations: no MPI call repeats 5 times or more; if it has a loop, name a call of each "
        "iteration with --iteration-at. 90 ns of noise lie on the critical path, 90.0 % of its length."
    )
    finding = there(of_noise([anyone], replace(RUN, iterations=0, most_calls=40)))
    assert "no sequence of MPI calls repeats through half of the time in which calls repeat" in finding.evidence
    finding = there(of_noise([anyone], RUN))
    assert finding.severity == "undecided"
    assert finding.evidence.startswith("No iteration of the run ends in this part of it.")


def test_noise_of_short_iterations_shows_by_its_share() -> None:
    # Regression: "Computing is steady", for no iteration of 60 us is 1 ms late.
    short = {"rank": "any rank", "iterations": 97, "late_1ms": 0, "noise_ns": 30, "noise_share": 0.3, "paid_ns": 20}
    finding = there(of_noise([short], RUN))
    assert (finding.severity, finding.value) == ("problem", 0.2)
    assert finding.sentence == "Noise makes up 30.0 % of the computing in 97 iterations."
    assert there(of_noise([{**short, "paid_ns": 0}], RUN)).verdict == "little"


def test_noise_is_a_problem_only_where_a_tenth_of_the_path_paid_for_it() -> None:
    late = {"rank": "any rank", "iterations": 12, "late_1ms": 3, "noise_ns": 900, "noise_share": 0.2, "paid_ns": 100}
    finding = there(of_noise([late], replace(RUN, loop_path_ns=1000)))
    assert (finding.severity, finding.value) == ("problem", 0.1)
    assert finding.evidence == "100 ns of it were paid for on the critical path, 10.0 % of the loop's length."
    assert there(of_noise([late], replace(RUN, loop_path_ns=1001))).severity == "note"


def test_noise_that_costs_next_to_nothing_is_no_finding() -> None:
    # The first page said "Noise makes some rank 1 ms late or more", of which less than 0.1 % of the path had paid for.
    late = {"rank": "any rank", "iterations": 97, "late_1ms": 2, "noise_ns": 900, "noise_share": 0.2, "paid_ns": 100}
    assert there(of_noise([late], replace(RUN, loop_path_ns=10_000))).verdict == "late"
    finding = there(of_noise([late], replace(RUN, loop_path_ns=10_001)))
    assert (finding.verdict, finding.severity, finding.sentence) == (
        "little",
        "fine",
        "Noise costs too little to matter.",
    )
    assert finding.evidence == (
        "It makes some rank 1 ms late or more in 2 of 97 iterations, but the critical path paid for 100 ns of it, 1.0 "
        "% of the loop's length."
    )


def test_a_period_of_whole_iterations_may_be_the_programs_own() -> None:
    period = {"rank": 0, "periodic": True, "period_ns": 1e8, "resolution_ns": 1e6, "explained": 0.9}
    own = there(of_periods([{**period, "whole_iterations": 5}])).evidence
    assert own.endswith("The run cannot tell that from 5 iterations, so it may be the program's own.")
    foreign = there(of_periods([{**period, "whole_iterations": None}])).evidence
    assert "not a whole number of iterations" in foreign
    assert there(of_periods([{"rank": 0, "periodic": None}])).severity == "undecided"
    assert there(of_periods([{"rank": 0, "periodic": False}])).sentence == "No rank's noise is periodic."
