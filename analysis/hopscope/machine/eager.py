"""Constants of the rendezvous protocol: its latencies, and the limits that tell such messages from eager ones."""

from __future__ import annotations

BLOCKED_SHARE = 0.25
"""A sender that was blocked for more than this share of its message's time waited for a CTS."""
LATENCIES = 3
"""Latencies of a message by rendezvous: RTS, CTS and the message itself."""
LEAST_MESSAGES = 5
"""Least number of messages of one size that show whether their senders were blocked."""
