"""Runs that are killed at random moments: the archive must contain every call that had returned on a rank.

    check_kills.py [--runs 1000] [--seed 1] [--mpi openmpi|mpich]

Each run has two ranks that write their own logs (programs/logged_calls.c). One or both, or their launcher, get a signal
at a moment drawn from the seed: while they start, record, change chunks, finish, or assemble the archive. Then the
archive is made from the remaining files and compared with the logs. Prints one line for each run. If anything is lost,
exits with 1 and keeps the run's directory.
"""

import argparse
import contextlib
import ctypes
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[2] / "collector" / "tests" / "runtime"))

import local_mpi
from hopscope.launch import collector_library
from kept_events import FLAGS, PROGRAM, Log, assemble, functions, loss, read_archive, read_log

RANKS = 2
PATIENCE_SECONDS = 60
NAMES = functions()
SIGNALS = (signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGTERM)


@dataclass(frozen=True)
class Plan:
    """The circumstances of one run."""

    mpi: local_mpi.LocalMpi
    tree: bool
    rounds: int
    pause_us: int
    chunk_bytes: int
    victims: tuple[int, ...]
    """Ranks that get the signal; empty: the launcher."""
    signal: signal.Signals
    phase: str
    """The phase of the signal. `start`: before or in main; `init`: in MPI_Init; `calls`: between them; `end`: in
    MPI_Finalize or after it."""
    seconds: float
    """Seconds to wait from the beginning of the phase."""
    calls: int
    """In the phase `calls`: the number of logged calls with which it begins."""


def plan_of(dice: random.Random, mpi: local_mpi.LocalMpi) -> Plan:
    """The circumstances of a run, at random."""
    rounds = dice.choice((10, 60, 200))
    phase = dice.choices(("start", "init", "calls", "end"), (2, 3, 10, 4))[0]
    longest = {"start": 0.5, "init": 0.5, "calls": 0.0005, "end": 0.2}[phase]
    return Plan(
        mpi=mpi,
        tree=dice.random() < 0.5,
        rounds=rounds,
        pause_us=dice.choice((0, 0, 100)),
        chunk_bytes=dice.choice((4096, 1 << 20)),
        victims=dice.choice(((0,), (1,), (0, 1), ())),
        signal=dice.choice((signal.SIGKILL, signal.SIGKILL, *SIGNALS)),
        phase=phase,
        seconds=dice.uniform(0, longest),
        calls=dice.randrange(1, calls_in(rounds)),
    )


def calls_in(rounds: int) -> int:
    """Number of calls that a rank logs, without MPI_Finalize."""
    return 1 + 7 * rounds


def start(plan: Plan, folder: Path) -> subprocess.Popen[bytes]:
    """Starts the job in a process group of its own."""
    (folder / "logs").mkdir()
    settings = {
        "HOPSCOPE_DIR": str(folder / "trace"),
        "HOPSCOPE_SPOOL_CHUNK_BYTES": str(plan.chunk_bytes),
        "HOPSCOPE_TREE": "binomial" if plan.tree else "",
    }
    program = plan.mpi.compile(PROGRAM, *FLAGS)
    words = [
        *plan.mpi.launch(RANKS),
        "env",
        f"LD_PRELOAD={collector_library(plan.mpi.release)}",
        str(program),
        str(folder / "logs"),
        str(plan.rounds),
        str(plan.pause_us),
    ]
    with (folder / "said").open("wb") as output:
        return subprocess.Popen(
            words,
            cwd=folder,
            env={**os.environ, **settings},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )


def logs_of(folder: Path) -> list[Log]:
    return [read_log(folder / "logs" / f"{rank}.log", NAMES) for rank in range(RANKS)]


def wait_for_phase(plan: Plan, job: subprocess.Popen[bytes], folder: Path) -> None:
    """Waits until a rank has reached the phase of the signal, or the job has ended."""
    least_calls = {"start": -1, "init": 0, "calls": plan.calls, "end": calls_in(plan.rounds)}[plan.phase]
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and job.poll() is None:
        if max(logged(folder / "logs" / f"{rank}.log") for rank in range(RANKS)) >= least_calls:
            return
        time.sleep(0.0002)


def logged(path: Path) -> int:
    """Number of calls that a rank has logged; -1 before its main function."""
    try:
        with path.open("rb") as file:
            head = file.read(16)
    except OSError:
        return -1
    return int.from_bytes(head[8:16], "little") if len(head) == 16 and any(head[:4]) else -1


def signal_to(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def descendants(pid: int) -> list[int]:
    """All descendants of a process. This process is the subreaper, so orphans become its children."""
    pids: list[int] = []
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            pids += [int(child), *descendants(int(child))]
    return pids


def end_all(job: subprocess.Popen[bytes]) -> None:
    """Ends all processes of a run, so that none is left when its trace is assembled. The launcher may take some time to
    notice a dead rank."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with contextlib.suppress(subprocess.TimeoutExpired):
        job.wait(3)
    while remaining := descendants(os.getpid()):
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes {remaining} do not end")
        for pid in remaining:
            signal_to(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.005)
    job.poll()


def kill(plan: Plan, job: subprocess.Popen[bytes], folder: Path) -> None:
    """Waits for the moment, then sends the signal."""
    wait_for_phase(plan, job, folder)
    time.sleep(plan.seconds)
    if job.poll() is not None:
        return
    pids = [log.pid for log in logs_of(folder)]
    targets = [pids[rank] for rank in plan.victims if pids[rank]]
    for pid in targets or [job.pid]:
        signal_to(pid, plan.signal)


def verdict(plan: Plan, folder: Path) -> tuple[str, str]:
    """The outcome of the run (whole, cut, nothing), and the lost events; empty if none."""
    logs, trace = logs_of(folder), folder / "trace"
    if any(log.wrong for log in logs):
        return "wrong", "the program computed wrong results"
    code, message = assemble(trace)
    recorded = any(log.calls for log in logs)
    if code != 0:
        if recorded or not message.strip():
            return "lost", f"no archive (exit code {code}): {message.strip() or 'not a word'}"
        return "nothing", ""
    archive = read_archive(trace)
    for rank, log in enumerate(logs):
        if fault := loss(log, archive[rank], tree=plan.tree):
            return "lost", f"rank {rank}: {fault}; said: {message.strip()}"
    finished = all(log.calls[-1:] == ["MPI_Finalize"] for log in logs)
    if (
        not finished
        and not message.strip()
        and not any(archive[rank].calls[-1:] == ["MPI_Finalize"] for rank in archive)
    ):
        return "silent", "something is missing and nothing says so"
    return "whole" if finished else "cut", ""


def main() -> int:
    """Runs all plans."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--runs", type=int, default=1000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--mpi", choices=[mpi.flavour for mpi in local_mpi.find()], help="default: each in turn")
    arguments = options.parse_args()
    # Orphans of a killed launcher shall become our children, so that we can find and end them.
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)
    mpis = [mpi for mpi in local_mpi.find() if arguments.mpi in (None, mpi.flavour)]
    if not mpis:
        raise SystemExit("there is no MPI library on this machine to run under")
    dice = random.Random(arguments.seed)
    outcomes: Counter[str] = Counter()
    calls, begin = 0, time.monotonic()
    for run in range(arguments.runs):
        plan = plan_of(dice, mpis[run % len(mpis)])
        folder = Path(tempfile.mkdtemp(prefix="hopscope-kills-"))
        job = start(plan, folder)
        try:
            kill(plan, job, folder)
        finally:
            end_all(job)
        outcome, fault = verdict(plan, folder)
        outcomes[outcome] += 1
        calls += sum(len(log.calls) for log in logs_of(folder))
        if fault:
            print(f"run {run}: {fault}\n  {plan}\n  {folder}", flush=True)
        else:
            shutil.rmtree(folder)
        if sys.stderr.isatty() or run % 50 == 49:
            print(f"{run + 1} of {arguments.runs}: {dict(outcomes)}", file=sys.stderr, flush=True)
    bad = arguments.runs - sum(outcomes[name] for name in ("whole", "cut", "nothing"))
    print(
        f"{arguments.runs} runs killed at random moments (seed {arguments.seed}): {outcomes['cut']} cut short, "
        f"{outcomes['whole']} had finished, {outcomes['nothing']} had not begun; {calls} completed calls logged; "
        f"{bad} runs lost something; {time.monotonic() - begin:.0f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
