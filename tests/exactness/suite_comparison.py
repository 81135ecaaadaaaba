"""mpi4py's own tests with and without the collector: which have another outcome, as sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from suite_runs import ALONE, Outcomes, Run, Say, Way, run_suite


@dataclass
class Comparison:
    """What was compared on so many ranks of one MPI library, and what came of it."""

    run: Run
    alone: Outcomes
    differences: list[str] = field(default_factory=list)
    unsteady: set[str] = field(default_factory=set)
    """Tests whose outcome changes from run to run without the collector too."""
    under: dict[str, Outcomes] = field(default_factory=dict)

    def summary(self) -> str:
        """What was run and found without the collector, in a line."""
        kinds = Counter(outcome.split()[0].rstrip(":") for outcome in self.alone.of.values() if "exit" not in outcome)
        said = ", ".join(f"{number} {kind}" for kind, number in sorted(kinds.items(), key=lambda item: -item[1]))
        places = "1 rank" if self.run.ranks == 1 else f"{self.run.ranks} ranks"
        more = [f"{len(self.unsteady)} unsteady without the collector"] if self.unsteady else []
        more += [f"{len(self.alone.stopped)} left out: they end the job without the collector"] * bool(
            self.alone.stopped
        )
        return f"{self.run.mpi.release}, {places}: {'; '.join([said, *more])}"


def compare(run: Run, ways: Sequence[Way], say: Say) -> Comparison:
    """Runs the tests without the collector, then in each way. Tests that then have another outcome run twice more
    without it, in their modules: where it changes there as well, it is no difference of the collector's.
    """
    say(ALONE.name)
    alone = run_suite(replace(run, folder=run.folder / "alone"), ALONE, set(), say)
    found = Comparison(run, alone)
    for number, way in enumerate(ways):
        say(way.name)
        outcomes = run_suite(replace(run, folder=run.folder / f"way-{number}"), way, set(alone.stopped), say)
        found.under[way.name] = outcomes
        other = changed(alone, outcomes)
        suspects = ({test for test, _ in other} | set(outcomes.stopped)) - found.unsteady
        found.unsteady |= _unsteady(run, suspects, alone, number, say)
        found.differences += [
            f"{way.name}: {test} on rank {rank}: {_told(alone, test, rank)}, with the collector "
            f"{_told(outcomes, test, rank)}"
            for test, rank in other
            if test not in found.unsteady
        ]
        found.differences += [
            f"{way.name}: {test} ends the job: {how}"
            for test, how in outcomes.stopped.items()
            if test not in found.unsteady
        ]
    return found


def changed(one: Outcomes, other: Outcomes) -> list[tuple[str, int]]:
    """The tests, with the rank, that have an outcome in both and not the same."""
    return sorted(key for key in one.of.keys() & other.of.keys() if one.of[key] != other.of[key])


def _unsteady(run: Run, tests: set[str], alone: Outcomes, number: int, say: Say) -> set[str]:
    """Those of the tests that have another outcome when their modules run again without the collector."""
    modules = sorted({test.split(".")[0] for test in tests if test.startswith("test_")})
    if not modules:
        return set()
    found: set[str] = set()
    for time in range(2):
        say(f"once more without the collector: {', '.join(modules)}")
        folder = run.folder / f"again-{number}-{time}"
        some = replace(run, folder=folder, modules="|".join(f"^{module}$" for module in modules))
        outcomes = run_suite(some, ALONE, set(alone.stopped), say)
        found |= {test for test, _ in changed(alone, outcomes)} | set(outcomes.stopped)
    return found & tests


def _told(outcomes: Outcomes, test: str, rank: int) -> str:
    said = outcomes.said.get((test, rank), "")
    return outcomes.of[test, rank] + (f" ({' '.join(said.split())[:200]})" if said else "")
