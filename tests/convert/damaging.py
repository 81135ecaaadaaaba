"""Damages archives at random and converts them: `python tests/convert/damaging.py --runs 1000 --seed 1 ARCHIVE...`.

A damage depends only on its number, so it can be repeated: `--runs 1 --seed NUMBER`. Conversions run in another process
with bounded memory and time, so that crashes, hangs and excessive memory are reported. A conversion must make a dataset
that keeps its contracts and says what is missing, or fail with a sentence that names a file.
"""

from __future__ import annotations

import argparse
import random
import resource
import select
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

MEMORY_BYTES = 6 << 30  # of address space, in which the stacks and arenas of threads count even if unused
LONGEST_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    """The outcome of one damage. Only `dataset` and `refused` are good."""

    number: int
    kind: str
    words: str

    @property
    def is_bad(self) -> bool:
        return self.kind not in ("dataset", "refused")


def damage(trace: Path, dice: random.Random) -> str:
    """Damages one file of an archive, sometimes two, and describes the damage."""
    damages: list[str] = []
    for _ in range(dice.choice((1, 1, 1, 2))):
        files = sorted(file for file in trace.rglob("*") if file.suffix in (".otf2", ".def", ".evt"))
        file = dice.choice(files)
        way = dice.choice(_WAYS)
        way(file, dice)
        damages.append(f"{way.__name__.strip('_')} {file.relative_to(trace)}")
    return ", ".join(damages)


def _cut(file: Path, dice: random.Random) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: dice.randrange(len(content) + 1)])


def _flip(file: Path, dice: random.Random) -> None:
    content = bytearray(file.read_bytes())
    for _ in range(dice.choice((1, 1, 2, 8)) if content else 0):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    file.write_bytes(content)


def _overwrite(file: Path, dice: random.Random) -> None:
    content = bytearray(file.read_bytes())
    offset = dice.randrange(len(content) + 1)
    length = dice.choice((1, 4, 16, 200))
    filling = dice.choice((b"\0" * length, b"\xff" * length, dice.randbytes(length)))
    content[offset : offset + length] = filling
    file.write_bytes(content)


def _leave_out(file: Path, dice: random.Random) -> None:
    content = bytearray(file.read_bytes())
    offset = dice.randrange(len(content) + 1)
    del content[offset : offset + dice.choice((1, 4, 100))]
    file.write_bytes(content)


def _remove(file: Path, _: random.Random) -> None:
    file.unlink()


def _replace(file: Path, dice: random.Random) -> None:
    candidates = sorted(candidate for candidate in file.parent.glob(f"*{file.suffix}"))
    file.write_bytes(dice.choice(candidates).read_bytes())


_WAYS: Sequence[Callable[[Path, random.Random], None]] = (_cut, _flip, _flip, _overwrite, _leave_out, _remove, _replace)


def outcome_of(sources: Sequence[Path], number: int, look: Callable[[Path], None]) -> Outcome:
    """Damages one of the archives and converts it. look: gets the trace directory if there is a dataset."""
    from dataset_reading import read_dataset
    from hopscope.dataset.convert import ensure_dataset
    from hopscope.errors import InputError

    dice = random.Random(number)
    with tempfile.TemporaryDirectory() as directory:
        trace = Path(directory) / "trace"
        shutil.copytree(dice.choice(sources), trace, ignore=shutil.ignore_patterns("dataset"))
        words = damage(trace, dice)
        try:
            dataset = ensure_dataset(trace)
            read_dataset(dataset)
            look(trace)
        except InputError as refusal:
            names_trace = str(trace) in str(refusal) and not (trace / "dataset").exists()
            return Outcome(number, "refused" if names_trace else "names no file", f"{words}: {refusal}")
        except Exception as problem:  # any exception is reported with its number
            return Outcome(number, "raised", f"{words}: {type(problem).__name__}: {problem}")
        return Outcome(number, "dataset", words)


def ask_everything(trace: Path) -> None:
    """Runs every analysis in its default grain. An analysis may also answer with a sentence that says why it cannot."""
    import hopscope
    from hopscope.errors import InputError

    opened = hopscope.open(trace)
    for command in opened.analyses():
        if any(parameter.type in ("TRACE", "COLLECTIVE") for parameter in command.parameters):
            continue
        try:
            opened.run(command.name)
        except InputError:
            continue


def outcomes(sources: Sequence[Path], numbers: range, *, ask: bool = False) -> Iterator[Outcome]:
    """The outcome of each damage. A process that dies or hangs counts as an outcome, and a new process does the next
    damage."""
    going_on = numbers.start
    while going_on < numbers.stop:
        words = [sys.executable, __file__, "--child", "--seed", str(going_on), "--runs", str(numbers.stop - going_on)]
        command = [*words, *(["--ask"] if ask else []), *map(str, sources)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            while going_on < numbers.stop:
                ready, _, _ = select.select([child.stdout], [], [], LONGEST_SECONDS)
                line = child.stdout.readline() if ready else ""
                if not line:
                    child.kill()
                    problem = f"ended with {child.wait()}" if ready else f"not done after {LONGEST_SECONDS} s"
                    yield Outcome(going_on, "crashed" if ready else "hung", f"{problem}: {child.stderr.read()[-2000:]}")
                    going_on += 1
                    break
                number, kind, report = line.rstrip("\n").split("\t", 2)
                yield Outcome(int(number), kind, report)
                going_on = int(number) + 1


def _be_child(sources: Sequence[Path], numbers: range, look: Callable[[Path], None]) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        outcome = outcome_of(sources, number, look)
        print(outcome.number, outcome.kind, " ".join(outcome.words.split()), sep="\t", flush=True)
    print(f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB", file=sys.stderr)


def main() -> int:
    """Damages many archives and prints the bad outcomes. Returns exit code 1 if there are any."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("archives", type=Path, nargs="+")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ask", action="store_true", help="run every analysis on what becomes a dataset")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    numbers = range(options.seed, options.seed + options.runs)
    if options.child:
        _be_child(options.archives, numbers, ask_everything if options.ask else lambda trace: None)
        return 0
    counts: Counter[str] = Counter()
    for outcome in outcomes(options.archives, numbers, ask=options.ask):
        counts[outcome.kind] += 1
        if outcome.is_bad or options.runs == 1:
            print(outcome.number, outcome.kind, outcome.words, flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return any(kind not in ("dataset", "refused") for kind in counts)


if __name__ == "__main__":
    sys.exit(main())
