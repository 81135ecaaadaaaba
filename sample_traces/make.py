"""Makes the sample traces anew, by real runs: `python sample_traces/make.py [NAME ...] [--answers]`.

With --answers only the recorded answers are made again, from the traces that are there; read the difference before you
commit it: a changed answer on an unchanged trace is a changed analysis.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
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
)


@dataclass(frozen=True)
class Sample:
    """How one sample is made: ranks, the solver's arguments, options of `hopscope run`."""

    ranks: int
    arguments: str
    options: tuple[str, ...]


SAMPLES = {
    "demo": Sample(8, "--size 256 --iterations 40", ("--tree", "binomial", "--topology", "demo/topology.json")),
    "late_rank": Sample(
        4, "--size 16 --iterations 100 --sleep-ms 6 --late-rank 2 --late-ms 3 --no-halo", ("--tree", "binomial")
    ),
    "observe_only": Sample(6, "--size 128 --iterations 60", ()),
}


def make(name: str) -> None:
    """Run the sample's job; its archive replaces the one that is there."""
    sample = SAMPLES[name]
    trace = HERE / name / "trace"
    shutil.rmtree(trace, ignore_errors=True)
    mpi = local_mpi.find()[0]
    program = mpi.compile(HERE.parent / "demo" / "heat_plate.c")
    # A relative name of the program, so that no machine's folders end up in the trace.
    words = [str(BIN / "hopscope"), "run", *sample.options, "--dir", str(trace), "--", *mpi.launch(sample.ranks)]
    words += [str(program.relative_to(HERE.parent)), "--tolerance", "0", "--quiet", *sample.arguments.split()]
    subprocess.run(words, check=True, cwd=HERE.parent)


def answers(name: str) -> None:
    """Record what the analyses answer on the sample's trace: one JSON file per question, in answers/."""
    folder = HERE / name / "answers"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace"
        shutil.copytree(HERE / name / "trace", trace, ignore=shutil.ignore_patterns("dataset"))
        for question in QUESTIONS:
            words = [str(BIN / "analyze"), question[0], str(trace), *question[1:], "--format", "json"]
            rows = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            lines = ",\n".join(json.dumps(row) for row in rows)
            (folder / f"{'_'.join(question).replace('--', '')}.json").write_text(f"[\n{lines}\n]\n")


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
