"""Fixtures of the tests on networks."""

from collections.abc import Callable

import networks
import pytest


@pytest.fixture(scope="session")
def machine_can() -> None:
    """Skips the test if this user may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"a network of hosts: {reason}")


@pytest.fixture
def report(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """A function that prints a time. A busy machine changes such times, so no test depends on them."""

    def line(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}", end="")

    return line
