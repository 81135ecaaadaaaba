"""Constants of the rendezvous protocol: its number of latencies, and limits that tell its messages from eager ones."""

from __future__ import annotations

BLOCKED_SHARE = 0.25
"""If a sender was blocked for more than this share of its message's time, it is assumed to have waited for a CTS."""
LATENCIES = 3
"""Number of latencies in the time of a message by rendezvous: RTS, CTS and the message itself."""
LEAST_MESSAGES = 5
"""The fewest messages of one size that are enough to tell if their senders were blocked."""
