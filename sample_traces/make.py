"""Makes the sample traces anew, by real runs: `python sample_traces/make.py [NAME ...] [--answers]`.

With --answers only the recorded answers are made again, from the traces that are there; read the difference before you
commit it: a changed answer on an unchanged trace is a changed analysis.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tools"))

import local_mpi

BIN = Path(sys.executable).parent
QUESTIONS: tuple[tuple[str, ...], ...] = (
    ("critical-path",),
    ("critical-path", "--by", "rank"),
    ("last-arrivals",),
    ("noise",),
    ("wan-share",),
    ("late-ranks",),
    ("noise-periods",),
    ("delayed-hops",),
    ("honesty",),
)
"""What is asked of a trace by itself."""

COMPARISONS: tuple[tuple[str, ...], ...] = (("compare", "--by", "structure"),)
"""What is asked of a pair; its times are not held to the digit but to what was planted."""

TWO_SITES = ("--topology", "demo/topology.json")


@dataclass(frozen=True)
class Sample:
    """How one sample is made: ranks, the solver's arguments, and for each of its archives the options of `hopscope
    run`: `trace`, or the pair `base` and `new`."""

    ranks: int
    arguments: str
    runs: Mapping[str, tuple[str, ...]]

    @property
    def questions(self) -> tuple[tuple[str, ...], ...]:
        """What is asked of it."""
        return COMPARISONS if len(self.runs) > 1 else QUESTIONS


SAMPLES = {
    "changed_tree": Sample(
        4,
        "--size 16 --iterations 60 --sleep-ms 2 --no-halo",
        {"base": ("--tree", "hierarchical", *TWO_SITES), "new": ("--tree", "binomial", *TWO_SITES)},
    ),
    "demo": Sample(8, "--size 256 --iterations 40", {"trace": ("--tree", "binomial", *TWO_SITES)}),
    "late_rank": Sample(
        4,
        "--size 16 --iterations 100 --sleep-ms 6 --late-rank 2 --late-ms 3 --no-halo",
        {"trace": ("--tree", "binomial")},
    ),
    "observe_only": Sample(6, "--size 128 --iterations 60", {"trace": ()}),
}


def make(name: str) -> None:
    """Run the sample's jobs; their archives replace those that are there."""
    sample = SAMPLES[name]
    mpi = local_mpi.find()[0]
    program = mpi.compile(HERE.parent / "demo" / "heat_plate.c")
    for archive, options in sample.runs.items():
        trace = HERE / name / archive
        shutil.rmtree(trace, ignore_errors=True)
        # A relative name of the program, so that no machine's folders end up in the trace.
        words = [str(BIN / "hopscope"), "run", *options, "--dir", str(trace), "--", *mpi.launch(sample.ranks)]
        words += [str(program.relative_to(HERE.parent)), "--tolerance", "0", "--quiet", *sample.arguments.split()]
        subprocess.run(words, check=True, cwd=HERE.parent)


def answers(name: str) -> None:
    """Record what the analyses answer on the sample: one CSV file per question, in answers/."""
    sample = SAMPLES[name]
    folder = HERE / name / "answers"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        archives = [
            shutil.copytree(HERE / name / archive, Path(scratch) / archive, ignore=shutil.ignore_patterns("dataset"))
            for archive in sample.runs
        ]
        for question in sample.questions:
            words = [str(BIN / "analyze"), question[0], *map(str, archives), *question[1:], "--format", "csv"]
            answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            (folder / f"{'_'.join(question).replace('--', '')}.csv").write_text(answer)


def main() -> None:
    """Make the samples named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SAMPLES, []], help="which; all if none is named")
    parser.add_argument("--answers", action="store_true", help="only record the answers again")
    options = parser.parse_args()
    for name in options.names or SAMPLES:
        if not options.answers:
            make(name)
        answers(name)


if __name__ == "__main__":
    main()
