"""`make check-mutations`: breaks Hopscope in known ways, one after another, and reports those that no test notices.

    PYTHONPATH=tools python tests/mutations/check_mutations.py [NAME ...] [--sample N --seed N]

Each patch beside this file is one mutation. Its first line says what is broken, the second which suite must fail,
`Killed by: pytest ...` or `Killed by: ctest REGEX`. Patches are applied to a copy of the tree, build/mutations, which
keeps its builds. The suites must pass there before anything is broken. If the named suite passes in spite of the
mutation, the lane of `make test` runs; if this passes too, the mutation has survived. Exits with 1 if a mutation
survives, does not build or does not apply.
"""

import argparse
import re
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import drawn_sample
from copied_tree import CopiedTree

FOLDER = Path(__file__).parent
COPY = CopiedTree(FOLDER.parents[1] / "build" / "mutations")
WHOLE_SUITE = "pytest --lane change"
TESTS_FAILED = {"pytest": 1, "ctest": 8}
"""Exit codes that mean that a test failed. Any other code means that the suite could not run."""


@dataclass(frozen=True)
class Mutation:
    """One patch: its fault, and the suite that must notice it."""

    path: Path
    broken: str
    suite: str

    @property
    def builds(self) -> str:
        """The product to build after the patch is applied."""
        text = self.path.read_text()
        if re.search(r"^\+\+\+ b/(collector|schemas)/", text, re.MULTILINE):
            return "collector"
        return "native" if "\n+++ b/analysis/native/" in text else ""


def mutations() -> list[Mutation]:
    """All mutations, by name. Raises ValueError for a patch without the header."""
    patches = []
    for path in sorted(FOLDER.glob("*.patch")):
        broken, suite, *_ = path.read_text().splitlines()
        if not suite.startswith(("Killed by: pytest ", "Killed by: ctest ")):
            raise ValueError(f"{path.name}: its second line does not say `Killed by: pytest ...` or `ctest ...`")
        patches.append(Mutation(path, broken, suite.removeprefix("Killed by: ")))
    return patches


def build(product: str) -> bool:
    """Builds the native modules, the collector or nothing. True on success."""
    return COPY.build_native() if product == "native" else product != "collector" or COPY.build_collector()


def outcome(suite: str) -> str:
    """The outcome of a suite: `passed`, `failed`, or the reason why it could not run."""
    tool, *words = shlex.split(suite)
    if tool == "pytest":
        code = COPY.run(COPY.venv / "bin" / "python", "-m", "pytest", "-q", "-n", "2", *words)
    else:
        code = COPY.run("ctest", "--test-dir", COPY.collector, "--no-tests=error", "-R", *words)
    if code == 0:
        return "passed"
    return "failed" if code == TESTS_FAILED[tool] else f"exit code {code} of {suite}"


def fate(mutation: Mutation, stale: set[str]) -> str:
    """The outcome of a mutation: `killed`, or a problem. stale: products to build again, because the previous mutation
    was removed."""
    if COPY.run("git", "apply", mutation.path) != 0:
        return "does not apply: make it anew"
    try:
        if not all(build(product) for product in sorted(stale | {mutation.builds})):
            return "does not build: make it anew"
        stale.clear()
        for suite in (mutation.suite, WHOLE_SUITE):
            verdict = outcome(suite)
            if verdict == "failed":
                return "killed" if suite == mutation.suite else f"killed, but not by {mutation.suite}: name what did"
            if verdict != "passed":
                return verdict
        return "SURVIVED"
    finally:
        COPY.run("git", "apply", "-R", mutation.path)
        stale.add(mutation.builds)


def check(selection: Sequence[Mutation]) -> int:
    """Runs the mutations. Returns the exit code."""
    COPY.update()
    if not COPY.build():
        print(f"the copy does not build: see {COPY.log}")
        return 1
    for suite in sorted({mutation.suite for mutation in selection}):
        if outcome(suite) != "passed":
            print(f"{suite} does not pass on the tree as it is: see {COPY.log}")
            return 1
    wrong = 0
    stale: set[str] = set()
    for mutation in sorted(selection, key=lambda mutation: mutation.builds):
        begin = time.monotonic()
        verdict = fate(mutation, stale)
        wrong += not verdict.startswith("killed")
        print(f"{mutation.path.stem:46} {time.monotonic() - begin:4.0f} s  {verdict}", flush=True)
    print(f"{len(selection) - wrong} of {len(selection)} mutations killed" + (f"; see {COPY.log}" if wrong else ""))
    return int(wrong > 0)


def main() -> None:
    """Runs the named mutations, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    by_name = {mutation.path.stem: mutation for mutation in mutations()}
    parser.add_argument("names", nargs="*", choices=[*by_name, []], help="which; all if none is named")
    drawn_sample.add_options(parser)
    arguments = parser.parse_args()
    names = drawn_sample.drawn_items(arguments.names or list(by_name), arguments)
    sys.exit(check([by_name[name] for name in names]))


if __name__ == "__main__":
    main()
