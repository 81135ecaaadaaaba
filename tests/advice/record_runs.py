"""Records the figures of many consecutive runs of one command, with the drift of the machine, for test_tuning_alike.py:

python tests/advice/record_runs.py NAME NUMBER [--net FILE] -- mpirun -n 4 ./app

adds them to recorded_runs.json.
"""

import argparse
import json
import tempfile
from pathlib import Path

import hopscope
from hopscope.advice.tune.job import Job, discard, run_job

FILE = Path(__file__).with_name("recorded_runs.json")


def main() -> None:
    """Runs the command repeatedly and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name")
    parser.add_argument("number", type=int)
    parser.add_argument("--net", type=Path)
    parser.add_argument("words", nargs="+")
    options = parser.parse_args()
    job = Job(tuple(options.words), hopscope.open, options.net)
    figures: list[int] = []
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.number):
            folder = Path(scratch) / str(number)
            run = run_job(job, {}, folder, limit_s=60)
            discard(folder)
            if run.figure is None:
                parser.error(f"run {number} {run.outcome}: {run.detail}")
            figures.append(round(run.figure))
    content = json.loads(FILE.read_text()) if FILE.exists() else {}
    content[options.name] = figures
    FILE.write_text(json.dumps(content, indent=0) + "\n")


if __name__ == "__main__":
    main()
