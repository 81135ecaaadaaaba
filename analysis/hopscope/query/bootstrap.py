"""The constants of the block bootstrap, which gives every interval. SQL resamples shares (share_draws.sql);
resampling.py resamples quantiles and maxima of a run's times."""

DRAWS = 200
"""The number of resampled runs behind an interval."""
LEAST_BLOCKS = 5
"""The least number of blocks for an interval. With fewer blocks there is too little to draw from."""
ENDS = (0.025, 0.975)
"""The quantiles of the draws at which an interval begins and ends."""
CONFIDENCE = ENDS[1] - ENDS[0]
"""The probability that an interval contains the true value."""
