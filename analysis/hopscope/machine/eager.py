"""What tells that a message was announced before it went, and waited for the answer."""

from __future__ import annotations

HELD = 0.25
"""A sender that was held for more than this share of its message's way waited for an answer."""
LATENCIES = 3
"""Of an announced message: the announcement, the answer and itself."""
LEAST_SEEN = 5
"""Messages of one size that met a receive which was posted late."""
