"""Fixtures of the tests on networks."""

from collections.abc import Callable

import networks
import pytest


@pytest.fixture(scope="session")
def machine_can() -> None:
    """Some machines may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"a network of hosts: {reason}")


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a time that a busy machine changes, and on which no test depends."""

    def line(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", end="")

    return line
