"""Compares mpi4py's own tests with and without the collector, and gives sentences about tests with another outcome."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from suite_runs import ALONE, Outcomes, Run, Say, Way, run_suite


@dataclass
class Comparison:
    """Outcomes of the tests under one MPI library, without the collector and in each way, and their differences."""

    run: Run
    alone: Outcomes
    differences: list[str] = field(default_factory=list)
    unsteady: set[str] = field(default_factory=set)
    """Tests whose outcome changes from run to run without the collector too."""
    by_way: dict[str, Outcomes] = field(default_factory=dict)

    def summary(self) -> str:
        """Numbers of outcomes without the collector, in one line."""
        kinds = Counter(
            outcome.split()[0].rstrip(":") for outcome in self.alone.by_test.values() if "exit" not in outcome
        )
        counts = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=lambda item: -item[1]))
        places = "1 rank" if self.run.ranks == 1 else f"{self.run.ranks} ranks"
        notes = [f"{len(self.unsteady)} unsteady without the collector"] if self.unsteady else []
        notes += [f"{len(self.alone.stopped)} left out: they end the job without the collector"] * bool(
            self.alone.stopped
        )
        return f"{self.run.mpi.release}, {places}: {'; '.join([counts, *notes])}"


def compare(run: Run, ways: Sequence[Way], say: Say) -> Comparison:
    """Runs the tests without the collector, then in each way. Modules of tests with another outcome run twice more
    without the collector. If the outcome changes there too, the difference is not the collector's."""
    say(ALONE.name)
    alone = run_suite(replace(run, folder=run.folder / "alone"), ALONE, set(), say)
    comparison = Comparison(run, alone)
    for number, way in enumerate(ways):
        say(way.name)
        outcomes = run_suite(replace(run, folder=run.folder / f"way-{number}"), way, set(alone.stopped), say)
        comparison.by_way[way.name] = outcomes
        changes = changed(alone, outcomes)
        suspects = ({test for test, _ in changes} | set(outcomes.stopped)) - comparison.unsteady
        comparison.unsteady |= _unsteady(run, suspects, alone, number, say)
        comparison.differences += [
            f"{way.name}: {test} on rank {rank}: {_outcome_text(alone, test, rank)}, with the collector "
            f"{_outcome_text(outcomes, test, rank)}"
            for test, rank in changes
            if test not in comparison.unsteady
        ]
        comparison.differences += [
            f"{way.name}: {test} ends the job: {ending}"
            for test, ending in outcomes.stopped.items()
            if test not in comparison.unsteady
        ]
    return comparison


def changed(reference: Outcomes, outcomes: Outcomes) -> list[tuple[str, int]]:
    """The tests and ranks that have an outcome in both runs, and not the same one."""
    return sorted(
        key
        for key in reference.by_test.keys() & outcomes.by_test.keys()
        if reference.by_test[key] != outcomes.by_test[key]
    )


def _unsteady(run: Run, tests: set[str], alone: Outcomes, number: int, say: Say) -> set[str]:
    """Tests whose outcome changes when their modules run again without the collector."""
    modules = sorted({test.split(".")[0] for test in tests if test.startswith("test_")})
    if not modules:
        return set()
    unsteady: set[str] = set()
    for time in range(2):
        say(f"once more without the collector: {', '.join(modules)}")
        folder = run.folder / f"again-{number}-{time}"
        rerun = replace(run, folder=folder, modules="|".join(f"^{module}$" for module in modules))
        outcomes = run_suite(rerun, ALONE, set(alone.stopped), say)
        unsteady |= {test for test, _ in changed(alone, outcomes)} | set(outcomes.stopped)
    return unsteady & tests


def _outcome_text(outcomes: Outcomes, test: str, rank: int) -> str:
    message = outcomes.messages.get((test, rank), "")
    return outcomes.by_test[test, rank] + (f" ({' '.join(message.split())[:200]})" if message else "")
