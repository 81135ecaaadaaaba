"""Runs jobs on networks repeatedly, and kills others at random moments: nothing may be left behind.

`make check-network` starts this; it needs root.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import local_mpi
from leftovers import left_in
from networks import topology, why_not

HOPSCOPE = str(Path(sys.executable).with_name("hopscope"))
PROGRAM = Path(__file__).parents[1] / "native" / "programs" / "sites.c"


def main() -> int:
    """Runs and kills jobs, and prints what is left of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=64)
    parser.add_argument("--kills", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    reason = why_not()
    if reason:
        sys.exit(f"check_network: {reason}")
    mpi = local_mpi.find()[0]
    program = str(mpi.compile(PROGRAM))
    moments = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="hopscope-check-") as scratch:
        folder = Path(scratch)
        file = topology(folder, {"A": 1, "B": 1}, {"links": {"wan": {"latency_ns": 1_000_000}}})
        environment = {**os.environ, "TMPDIR": scratch}
        for number in range(options.runs + options.kills):
            words = [HOPSCOPE, "run", "--net", str(file), "--dir", f"trace{number}", "--"]
            words += [mpi.launcher, "-n", "4", program]
            begin = time.monotonic()
            with subprocess.Popen(
                words, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
            ) as job:
                moment = moments.uniform(0, 4) if number >= options.runs else None
                if moment is not None:
                    time.sleep(moment)
                    job.send_signal(signal.SIGKILL)
                errors = job.communicate()[1]
            if moment is None and job.returncode != 0:
                sys.exit(f"check_network: run {number} ended with code {job.returncode}: {errors}")
            left = left_in(folder)
            if left:
                sys.exit(f"check_network: run {number}, killed after {moment} s, left {', '.join(left)}")
            outcome = "ended" if moment is None else f"killed after {moment:.2f} s"
            print(f"{number}: {outcome}, {time.monotonic() - begin:.1f} s, nothing left", flush=True)
    print(f"{options.runs} runs and {options.kills} killed ones left no namespace, process or file behind")
    return 0


if __name__ == "__main__":
    sys.exit(main())
