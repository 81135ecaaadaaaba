"""Makes the sample traces anew, by real runs: `python sample_traces/make.py [NAME ...] [--answers | --whole DIR]`.

With --answers only the recorded answers are made again, from the traces that are there; read the difference before you
commit it: a changed answer on an unchanged trace is a changed analysis. Where the difference is one of digests, let the
build before and the build after write everything in full, by --whole into a directory each, and compare these by
`diff -r`.
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

import hopscope
import local_mpi
import recorded

BIN = Path(sys.executable).parent
TWO_SITES = ("--topology", "demo/topology.json")
SOLVER = "--tolerance 0 --quiet"
MANY = "sample_traces/many_collectives"
PLANNED = HERE / "planned_collectives.c"
NEWEST = "openmpi-5"
"""The release that has all forms of the collectives, the persistent ones too."""


@dataclass(frozen=True)
class Sample:
    """How one sample is made: ranks, the program's arguments, and for each of its archives the options of `hopscope
    run`: `trace`, or the pair `base` and `new`. The program is the solver unless it says otherwise; the MPI library is
    the system's first unless it needs a release."""

    ranks: int
    arguments: str
    runs: Mapping[str, tuple[str, ...]]
    program: Path = HERE.parent / "demo" / "heat_plate.c"
    release: str | None = None


SAMPLES = {
    "changed_tree": Sample(
        4,
        f"{SOLVER} --size 16 --iterations 60 --sleep-ms 2 --no-halo",
        {"base": ("--tree", "hierarchical", *TWO_SITES), "new": ("--tree", "binomial", *TWO_SITES)},
    ),
    "demo": Sample(8, f"{SOLVER} --size 256 --iterations 40", {"trace": ("--tree", "binomial", *TWO_SITES)}),
    "late_rank": Sample(
        4,
        f"{SOLVER} --size 16 --iterations 100 --sleep-ms 6 --late-rank 2 --late-ms 3 --no-halo",
        {"trace": ("--tree", "binomial")},
    ),
    "many_collectives": Sample(
        6,
        "",
        {"trace": ("--tree", f"{MANY}/tree.json", "--topology", f"{MANY}/topology.json")},
        PLANNED,
        NEWEST,
    ),
    "native_collectives": Sample(6, "", {"trace": ()}, PLANNED, NEWEST),
    "observe_only": Sample(6, f"{SOLVER} --size 128 --iterations 60", {"trace": ()}),
}


def make(name: str) -> None:
    """Run the sample's jobs; their archives replace those that are there."""
    sample = SAMPLES[name]
    mpi = next(found for found in local_mpi.find_all() if sample.release in (None, found.release))
    program = mpi.compile(sample.program)
    for archive, options in sample.runs.items():
        trace = HERE / name / archive
        shutil.rmtree(trace, ignore_errors=True)
        # A relative name of the program, so that no machine's folders end up in the trace.
        words = [str(BIN / "hopscope"), "run", *options, "--dir", str(trace), "--", *mpi.launch(sample.ranks)]
        words += [str(program.relative_to(HERE.parent)), *sample.arguments.split()]
        subprocess.run(words, check=True, cwd=HERE.parent)


def answers(name: str, folder: Path, whole: bool = False) -> None:
    """Record what the analyses answer on the sample and what its datasets hold, in the folder."""
    with tempfile.TemporaryDirectory() as scratch:
        traces = {
            archive: hopscope.open(
                shutil.copytree(
                    HERE / name / archive, Path(scratch) / archive, ignore=shutil.ignore_patterns("dataset")
                )
            )
            for archive in SAMPLES[name].runs
        }
        if "trace" in traces:
            recorded.record(folder, traces["trace"], whole=whole)
        else:
            recorded.record(folder, traces["new"], traces["base"], whole=whole)
            for archive, trace in traces.items():
                recorded.record(folder / archive, trace, whole=whole)


def main() -> None:
    """Make the samples named, or all."""
    local_mpi.share_cores()
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SAMPLES, []], help="which; all if none is named")
    parser.add_argument("--answers", action="store_true", help="only record the answers again")
    parser.add_argument("--whole", type=Path, metavar="DIR", help="only write every answer and table in full into DIR")
    options = parser.parse_args()
    for name in options.names or SAMPLES:
        if options.whole:
            answers(name, options.whole / name, whole=True)
            continue
        if not options.answers:
            make(name)
        shutil.rmtree(HERE / name / "answers", ignore_errors=True)
        answers(name, HERE / name / "answers")


if __name__ == "__main__":
    main()
