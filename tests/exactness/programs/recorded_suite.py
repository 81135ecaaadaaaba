"""mpi4py's own tests on one rank: writes the outcome of each test to a file at once, one line each.

    recorded_suite.py TESTS LINES LEFT_OUT MODULES

TESTS is the folder test/ of mpi4py's sources, LINES the folder for <rank>.jsonl, LEFT_OUT a file with the names of
omitted tests, one in each line, MODULES a regular expression for the modules to run. The first line has the names of
all tests, so that the missing ones are known if a rank dies or hangs.
"""

import json
import re
import sys
import time
import unittest
from pathlib import Path
from typing import Any, TextIO


class Recorded(unittest.TestResult):
    """Writes the outcome of each test. unittest prescribes the names of its methods."""

    def __init__(self, lines: TextIO) -> None:
        super().__init__()
        self.lines = lines
        self.written = 0.0
        self.test_outcomes: list[tuple[str, str]] = []

    def write(self, **line: Any) -> None:
        """Writes one line at once."""
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()
        self.written = time.monotonic()

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        self.test_outcomes = []
        self.write(begun=test.id())

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        outcomes = sorted({outcome for outcome, _ in self.test_outcomes}) or ["passed"]
        self.write(
            test=test.id(),
            outcome=" and ".join(outcomes),
            said="; ".join(message for _, message in self.test_outcomes)[:2000],
        )

    def add_outcome(self, test: Any, outcome: str, message: str) -> None:
        """Adds a test's outcome. The outcome of a test that never began, because a class or module could not be set up,
        is written at once."""
        self.test_outcomes.append((outcome, message))
        if not isinstance(test, unittest.TestCase):
            self.stopTest(test)
            self.test_outcomes = []

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        self.add_outcome(test, f"error {err[0].__name__}", str(err[1]))

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.add_outcome(test, f"failure {err[0].__name__}", str(err[1]))

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self.add_outcome(test, f"skipped: {reason}", "")

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self.add_outcome(test, "expected failure", str(err[1]))

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self.add_outcome(test, "unexpected success", "")

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        # A test of a hundred thousand parts takes minutes, and must not count as hanging.
        if time.monotonic() - self.written > 5:
            self.write(part=str(subtest))
        if err is not None:
            kind = "failure" if issubclass(err[0], test.failureException) else "error"
            self.test_outcomes.append((f"{kind} {err[0].__name__}", f"{subtest}: {err[1]}"))


def single(tests: unittest.TestSuite) -> list[unittest.TestCase]:
    """The tests of a suite, in order."""
    cases: list[unittest.TestCase] = []
    for test in tests:
        cases += single(test) if isinstance(test, unittest.TestSuite) else [test]
    return cases


def main() -> None:
    """Runs the tests."""
    folder, lines, left_out, modules = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    # As the suite's own main function does if neither CuPy nor numba is requested. None means that the module does not
    # exist, which typeshed does not know.
    sys.modules["cupy"] = sys.modules["numba"] = None  # type: ignore[assignment]
    from mpi4py import MPI

    loader = unittest.TestLoader()
    names = [path.stem for path in sorted(Path(folder).glob("test_*.py")) if re.search(modules, path.stem)]
    unwanted = set(Path(left_out).read_text().splitlines())
    cases = [test for name in names for test in single(loader.discover(folder, f"{name}.py"))]
    tests = [test for test in cases if test.id() not in unwanted]
    with (Path(lines) / f"{MPI.COMM_WORLD.Get_rank()}.jsonl").open("w") as file:
        result = Recorded(file)
        result.write(tests=[test.id() for test in tests])
        unittest.TestSuite(tests).run(result)


if __name__ == "__main__":
    main()
