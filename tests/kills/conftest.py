"""Jobs that are killed."""

from collections.abc import Iterator

import abandoned_segments
import pytest


@pytest.fixture(autouse=True)
def segments_are_removed() -> Iterator[None]:
    """What MPI libraries leave of a killed job, without the collector too."""
    with abandoned_segments.removed():
        yield
