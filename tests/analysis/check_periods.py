"""Looks for periods of noise in runs that have none: jobs of equal iterations, on a machine that is busy with other
work.

    check_periods.py [--runs 21] [--whole]

Each run has two ranks beside one to three computing processes. Its iterations are cut into series, which go through
`analyze noise --by period`. Prints the number of series that it calls periodic. With --whole, exits with 1 if these are
more than 1 %.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import hopscope
import local_mpi
import numpy as np
import pyarrow as pa
from busy_cores import busy
from hopscope.explain.periods import answer

PROGRAM = Path(__file__).parent / "programs" / "steady_work.c"
RANKS, LENGTH, SERIES, WORK_US = 2, 60, 50, 2_000
HOGS = (1, 2, 3)
HIGHEST_SHARE = 0.01
"""The largest share of clean series that may be called periodic."""

BY_ITERATION = """
select noise_gaps.rank, iteration_ends.iteration, min(noise_gaps.begin_ns) as at_ns, sum(noise_ns)::double as noise_ns
from noise_gaps
asof inner join iteration_ends
    on noise_gaps.rank = iteration_ends.rank and noise_gaps.end_ns <= iteration_ends.enter_ns
group by all
order by all
"""


def series(mpi: local_mpi.LocalMpi, hogs: int, folder: Path) -> Iterator[pa.Table]:
    """Runs a job beside `hogs` computing processes. Yields the noise of its iterations, in pieces of LENGTH iterations
    of one rank, as the analysis reads it."""
    run = [str(Path(sys.executable).with_name("hopscope")), "run", "--dir", str(folder), "--", *mpi.launch(RANKS)]
    with busy(hogs):
        words = [*run, str(mpi.compile(PROGRAM, "-O1")), str(SERIES * LENGTH), str(WORK_US)]
        subprocess.run(words, check=True, capture_output=True, timeout=600)
    rows = hopscope.open(folder).sql(BY_ITERATION)
    for rank in range(RANKS):
        rank_rows = rows.filter(pa.compute.equal(rows["rank"], rank))
        for begin in range(0, rank_rows.num_rows - LENGTH + 1, LENGTH):
            piece = rank_rows.slice(begin, LENGTH)
            noise = piece["noise_ns"].to_numpy()
            yield pa.table(
                {
                    "rank": np.zeros(LENGTH, int),
                    "at_ns": piece["at_ns"].to_numpy().astype(float),
                    "noise_ns": noise,
                    "iterations": np.ones(LENGTH, int),
                    "noisy": (noise > 0).astype(int),
                }
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--whole", action="store_true", help="fail if more than 1 %% are called periodic")
    options = parser.parse_args()
    mpis = local_mpi.find()
    series_count = periodic = 0
    for run in range(options.runs):
        mpi, hogs = mpis[run % len(mpis)], HOGS[run % len(HOGS)]
        with tempfile.TemporaryDirectory() as folder:
            verdicts = [bool(answer(piece, None, {})[0]["periodic"]) for piece in series(mpi, hogs, Path(folder) / "t")]
        series_count, periodic = series_count + len(verdicts), periodic + sum(verdicts)
        print(f"run {run}: {mpi.release} beside {hogs}: {sum(verdicts)} of {len(verdicts)} series periodic", flush=True)
    print(f"{periodic} of {series_count} clean series are called periodic (limit {HIGHEST_SHARE:.0%})")
    return int(options.whole and periodic > HIGHEST_SHARE * series_count)


if __name__ == "__main__":
    sys.exit(main())
