"""The Lomb-Scargle periodogram of a long, uneven series at evenly spaced frequencies.

The result is that of scipy.signal.lombscargle(floating_mean=True, normalize=True), except for rounding; a test compares
the two. Because the frequencies are evenly spaced, all sums over the values are products of two short tables: e^(i (a +
b) t) = e^(i a t) e^(i b t). This takes a tenth of the time and little memory.
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_Complex = NDArray[np.complex128]


def periodogram(times: Floats, values: Floats, frequencies: Floats) -> Floats:
    """The share of the values' variance, 0 to 1, that a sine of each frequency explains if its mean is fitted, too
    (Zechmeister and Kürster 2009, equations 5 to 15, in the phase of their equation 19). `times` may be in any unit,
    the evenly spaced frequencies are in its inverse. The values must not all be equal."""
    scores = (values - values.mean()) / values.std()
    step = (frequencies[-1] - frequencies[0]) / (len(frequencies) - 1)
    wide = math.isqrt(len(frequencies)) + 1
    coarse: _Complex = np.exp(2j * np.pi * np.outer(frequencies[::wide], times))
    fine: _Complex = np.exp(2j * np.pi * np.outer(times, step * np.arange(wide)))

    def mean(series: Floats, power: int) -> _Complex:
        """The mean of `series` times e^(i power w t), at each frequency."""
        sums: _Complex = (coarse**power * series) @ fine**power
        return sums.ravel()[: len(frequencies)] / len(times)

    alone, double, cross = mean(np.ones(len(times)), 1), mean(np.ones(len(times)), 2), mean(scores, 1)
    turn = np.exp(-0.5j * np.angle(double - alone**2))
    alone, double, cross = alone * turn, double * turn**2, cross * turn
    epsilon = np.finfo(np.float64).epsneg
    cosines = np.maximum((1 + double.real) / 2 - alone.real**2, epsilon)
    sines = np.maximum((1 - double.real) / 2 - alone.imag**2, epsilon)
    return cross.real**2 / cosines + cross.imag**2 / sines
