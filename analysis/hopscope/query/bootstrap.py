"""The constants of the block bootstrap behind every interval. It has two halves: shares are resampled in SQL
(share_draws.sql), quantiles and maxima of a run's times in resampling.py."""

DRAWS = 200
"""The number of resampled runs behind an interval."""
LEAST_BLOCKS = 5
"""With fewer blocks there is too little to draw from, and no interval."""
ENDS = (0.025, 0.975)
"""The quantiles of the draws at which an interval begins and ends."""
CONFIDENCE = ENDS[1] - ENDS[0]
"""The probability that an interval contains the true figure."""
