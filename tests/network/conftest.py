"""What the tests of networks share."""

import networks
import pytest


@pytest.fixture(scope="session")
def machine_can() -> None:
    """Some machines may not make namespaces."""
    reason = networks.why_not()
    if reason:
        pytest.skip(f"a network of hosts: {reason}")
