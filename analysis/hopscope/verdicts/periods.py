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
from scipy.signal import lombscargle

from hopscope.header import Scalar
from hopscope.verdicts.resampling import Floats

CERTAIN = 0.01
LEAST_NOISY = 5
LEAST_GAPS = 30
MOST_GAPS = 2000
ALL_OF_RANKS = 4
"""Up to so many ranks each is looked at with MOST_GAPS values."""
LEAST_CYCLES = 4
OVERSAMPLING = 4
HARMONICS = 5


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per rank with gaps that could be judged."""
    ranks, at, noise = (rows[name].to_numpy() for name in ("rank", "end_ns", "noise_ns"))
    numbers = np.unique(ranks)
    return [_row(int(rank), at[ranks == rank] / 1.0, noise[ranks == rank], len(numbers)) for rank in numbers]


def _row(rank: int, at_ns: Floats, noise_ns: Floats, ranks: int) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(
        ("period_ns", "resolution_ns", "amplitude_ns", "explained", "false_alarm", "periodic")
    )
    noisy = int(np.count_nonzero(noise_ns))
    row |= {"rank": rank, "gaps": len(at_ns), "noisy": noisy}
    at_ns, noise_ns = _thinned(at_ns, noise_ns, _most_gaps(ranks))
    if noisy < LEAST_NOISY or len(at_ns) < LEAST_GAPS:
        return row
    span = float(at_ns[-1] - at_ns[0])
    # Beyond what the gaps resolve on average there is little to see, and of gaps in bursts no end of frequencies.
    usual = max(float(np.median(np.diff(at_ns))), span / (len(at_ns) - 1))
    highest = 0.5 / usual if span > 0 else 0.0
    lowest = LEAST_CYCLES / span if span > 0 else 0.0
    if highest <= lowest:
        return row
    frequencies = np.linspace(lowest, highest, OVERSAMPLING * math.ceil(span * (highest - lowest)))
    power = lombscargle(at_ns - at_ns[0], noise_ns, 2 * np.pi * frequencies, normalize=True, floating_mean=True)
    whitened = power / np.maximum(1, _lasting_spectrum(noise_ns, frequencies / highest / 2))
    alarms = np.array([_false_alarm(float(p), len(at_ns), len(frequencies) * ranks) for p in whitened])
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


def _most_gaps(ranks: int) -> int:
    """How many values of a rank are looked at: a periodogram takes the square of it, and each rank has one."""
    return max(LEAST_GAPS, min(MOST_GAPS, int(MOST_GAPS * math.sqrt(ALL_OF_RANKS / ranks))))


def _thinned(at_ns: Floats, noise_ns: Floats, most: int) -> tuple[Floats, Floats]:
    """At most so many values: of longer runs the means of as many neighbours as it takes."""
    together = math.ceil(len(at_ns) / most) if len(at_ns) else 1
    whole = len(at_ns) // together * together
    return at_ns[:whole].reshape(-1, together).mean(axis=1), noise_ns[:whole].reshape(-1, together).mean(axis=1)


def _lasting_spectrum(values: Floats, per_gap: Floats) -> Floats:
    """Spectrum, with mean 1, of noise whose neighbours correlate as these values do; at cycles per gap."""
    centred = values - values.mean()
    lasting = max(0.0, float(centred[:-1] @ centred[1:]) / float(centred @ centred))
    return (1 - lasting**2) / (1 - 2 * lasting * np.cos(2 * np.pi * per_gap) + lasting**2)


def _false_alarm(power: float, n: int, frequencies: int) -> float:
    if power >= 1:
        return 0.0
    one = math.exp((n - 3) / 2 * math.log1p(-power))
    return -math.expm1(frequencies * math.log1p(-one)) if one < 1 else 1.0
