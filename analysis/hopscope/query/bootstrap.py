"""The block bootstrap behind every interval: what its two halves have in common. Shares are resampled in SQL
(share_draws.sql), quantiles and maxima of a run's times in resampling.py."""

DRAWS = 200
"""Resampled runs behind an interval."""
LEAST_BLOCKS = 5
"""Fewer blocks give nothing to draw from, and no interval."""
ENDS = (0.025, 0.975)
"""The quantiles of the draws at which an interval begins and ends."""
CONFIDENCE = ENDS[1] - ENDS[0]
"""Probability that an interval contains the true figure."""
