"""`analyze noise-periods`: a Lomb-Scargle periodogram of each rank's noise, and whether its peak is more than chance.

The false-alarm probability is that of the standard normalisation with a fitted mean (Scargle 1982): one frequency
of independent noise exceeds power p with (1 - p)^((n - 3) / 2); times the number of frequencies looked at, which are
more than are independent, so it errs on the side of no period. Noise that lasts from gap to gap has long waves without
a period, so the powers are first divided by the spectrum of a process with the same correlation of neighbours (AR(1),
as REDFIT does: Schulz and Mudelsee 2002), where that is above 1.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.header import Scalar
from hopscope.verdicts.periodogram import Floats, periodogram

CERTAIN = 0.01
LEAST_NOISY = 5
LEAST_GAPS = 30
LEAST_CYCLES = 4
OVERSAMPLING = 4
HARMONICS = 5
ALMOST_ALL = 1 - 1e-15
"""Below 1, whose logarithm of what is left there is none of."""


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per rank with gaps that could be judged. The rows are in the order of rank and time."""
    numbers, begins, lengths = np.unique(rows["rank"].to_numpy(), return_index=True, return_counts=True)
    return [
        _row(int(rank), rows.slice(begin, length), len(numbers))
        for rank, begin, length in zip(numbers, begins, lengths, strict=True)
    ]


def _row(rank: int, values: pa.Table, ranks: int) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(
        ("period_ns", "resolution_ns", "amplitude_ns", "explained", "false_alarm", "periodic")
    )
    at_ns, noise_ns, gaps, noisy = (values[name].to_numpy() for name in ("at_ns", "noise_ns", "gaps", "noisy"))
    row |= {"rank": rank, "gaps": int(gaps.sum()), "noisy": int(noisy.sum())}
    # The last value may stand for fewer gaps than the others do.
    whole = gaps == gaps[0]
    at_ns, noise_ns = at_ns[whole], noise_ns[whole]
    if row["noisy"] < LEAST_NOISY or len(at_ns) < LEAST_GAPS or np.ptp(noise_ns) == 0:
        return row
    span = float(at_ns[-1] - at_ns[0])
    # Beyond what the gaps resolve on average there is little to see, and of gaps in bursts no end of frequencies.
    usual = max(float(np.median(np.diff(at_ns))), span / (len(at_ns) - 1))
    highest = 0.5 / usual if span > 0 else 0.0
    lowest = LEAST_CYCLES / span if span > 0 else 0.0
    if highest <= lowest:
        return row
    frequencies = np.linspace(lowest, highest, OVERSAMPLING * math.ceil(span * (highest - lowest)))
    power = periodogram(at_ns - at_ns[0], noise_ns, frequencies)
    whitened = power / np.maximum(1, _lasting_spectrum(noise_ns, frequencies / highest / 2))
    alarms = _false_alarms(whitened, len(at_ns), len(frequencies) * ranks)
    best = _fundamental(whitened, alarms, frequencies)
    explained, false_alarm = min(1.0, float(power[best])), float(alarms[best])
    periodic = false_alarm < CERTAIN
    row |= {"explained": explained, "false_alarm": false_alarm, "periodic": periodic}
    if periodic:
        frequency = float(frequencies[best])
        row |= {
            "period_ns": 1 / frequency,
            "resolution_ns": 1 / (frequency * frequency * span),
            # A swing of amplitude a has the variance a^2 / 2.
            "amplitude_ns": math.sqrt(2 * explained * float(np.var(noise_ns))),
        }
    return row


def _fundamental(power: Floats, alarms: Floats, frequencies: Floats) -> int:
    """The highest peak; where that is a harmonic, as short bursts have many, the longest period that itself holds."""
    best = int(np.argmax(power))
    for divisor in range(HARMONICS, 1, -1):
        near = np.abs(frequencies - frequencies[best] / divisor) <= OVERSAMPLING * (frequencies[1] - frequencies[0]) / 2
        if near.any():
            place = int(np.flatnonzero(near)[np.argmax(power[near])])
            if alarms[place] < CERTAIN:
                return place
    return best


def _lasting_spectrum(values: Floats, per_gap: Floats) -> Floats:
    """Spectrum, with mean 1, of noise whose neighbours correlate as these values do; at cycles per gap."""
    centred = values - values.mean()
    lasting = max(0.0, float(centred[:-1] @ centred[1:]) / float(centred @ centred))
    return (1 - lasting**2) / (1 - 2 * lasting * np.cos(2 * np.pi * per_gap) + lasting**2)


def _false_alarms(power: Floats, n: int, frequencies: int) -> Floats:
    """How often any of so many frequencies of noise, n values long, has a power as each of these."""
    one = np.exp((n - 3) / 2 * np.log1p(-np.minimum(power, ALMOST_ALL)))
    return -np.expm1(frequencies * np.log1p(-np.minimum(one, ALMOST_ALL)))
