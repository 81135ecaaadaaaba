"""`analyze noise --by period`: looks for periodic noise. Makes a Lomb-Scargle periodogram of each rank's noise, and
tests if its peak is more than chance.

Each iteration gives one value, at the time of its begin, because noise moves its end. All noise inside an iteration
adds up in this value, so it cannot pass for a period. Periods of up to two iterations are not looked for: at evenly
spaced times, a sine of such a period fits any values.

The false-alarm probability is that of the standard normalisation with a fitted mean (Scargle 1982). At one frequency,
independent noise exceeds the power p with a probability of (1 - p)^((n - 3) / 2). The test counts all frequencies as
independent; there are more than that, so it errs on the side of no period. The formula holds if no value outweighs the
others. So all values are cut off at the LEAST_NOISY-th largest.

Noise that lasts from iteration to iteration has long waves without a period. So the powers are first divided by the
spectrum of a process with the same correlation of neighbours (AR(1), as REDFIT does: Schulz and Mudelsee 2002), where
that spectrum is above 1. The correlation is measured after the mean over all periods is subtracted. Otherwise a period
of long bursts would itself pass for noise that lasts.

Noise of a busy machine comes in waves that no such spectrum describes, but waves keep no phase. So a period must also
occur often enough, and keep its phase through the run.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from hopscope.explain.periodogram import Floats, periodogram
from hopscope.query.header import Scalar

CERTAIN = 0.01
LEAST_NOISY = 5
"""A period needs this many noisy values. Values are cut off at the height that this many values reach, so that fewer
values cannot outweigh the others."""
LEAST_VALUES = 30
LEAST_CYCLES = 10
PARTS = 5
"""The number of parts of the run whose phases are compared."""
STEADY = 0.8
"""A period counts as steady from this agreement of the parts' phases on: 0 for random phases, 1 for equal ones. Noise
without a period reaches it in less than one run of twenty-five, with five parts (Rayleigh's test: exp(-5 * 0.8^2))."""
OVERSAMPLING = 4
HARMONICS = 8
AS_HIGH = 0.6
CLEARLY_MORE = 1.3
VALUES_A_PLACE = 5
ALMOST_ALL = 1 - 1e-15
"""A probability below 1, because log(1 - 1) is undefined."""


def answer(rows: pa.Table, base: pa.Table | None, parameters: Mapping[str, Scalar]) -> list[dict[str, Any]]:
    """One row per rank that has iterations to evaluate. `rows` has a row per value, in order of rank and time."""
    numbers, begins, lengths = np.unique(rows["rank"].to_numpy(), return_index=True, return_counts=True)
    return [
        _row(int(rank), rows.slice(begin, length), len(numbers))
        for rank, begin, length in zip(numbers, begins, lengths, strict=True)
    ]


def _row(rank: int, values: pa.Table, ranks: int) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(
        ("period_ns", "resolution_ns", "whole_iterations", "amplitude_ns", "explained", "false_alarm", "periodic")
    )
    at_ns, noise_ns, iterations, noisy = (
        values[name].to_numpy() for name in ("at_ns", "noise_ns", "iterations", "noisy")
    )
    row |= {"rank": rank, "iterations": int(iterations.sum()), "noisy": int(noisy.sum())}
    # The last value may stand for fewer iterations than the others do.
    whole = iterations == iterations[0]
    at_ns, noise_ns = at_ns[whole], noise_ns[whole]
    if row["noisy"] < LEAST_NOISY or len(at_ns) < LEAST_VALUES:
        return row
    noise_ns = np.minimum(noise_ns, np.partition(noise_ns, -LEAST_NOISY)[-LEAST_NOISY])
    frequencies = _frequencies(at_ns)
    if np.ptp(noise_ns) == 0 or not len(frequencies):
        return row
    power = periodogram(at_ns - at_ns[0], noise_ns, frequencies)
    alarms = _false_alarms_of(power, at_ns, noise_ns, frequencies, ranks)
    best = int(np.argmin(alarms))
    explained, false_alarm = min(1.0, float(power[best])), float(alarms[best])
    span = float(at_ns[-1] - at_ns[0])
    frequency = _fundamental(power, frequencies, best, at_ns, noise_ns) if false_alarm < CERTAIN else 0.0
    periodic = frequency > 0 and _steadiness(at_ns, noise_ns, frequency) >= STEADY
    row |= {"explained": explained, "false_alarm": false_alarm, "periodic": periodic}
    if periodic:
        period, resolution = 1 / frequency, 1 / (frequency * frequency * span)
        iteration = span / (len(at_ns) - 1) / int(iterations[0])
        multiple = round(period / iteration)
        row |= {
            "period_ns": period,
            "resolution_ns": resolution,
            "whole_iterations": multiple if abs(period - multiple * iteration) <= resolution else None,
            # A swing of amplitude a has the variance a^2 / 2.
            "amplitude_ns": math.sqrt(2 * explained * float(np.var(noise_ns))),
        }
    return row


def _frequencies(at_ns: Floats) -> Floats:
    """Evenly spaced frequencies in 1/ns: from LEAST_CYCLES in the whole run to almost one every two values. May be
    empty."""
    span = float(at_ns[-1] - at_ns[0])
    if span <= 0:
        return np.zeros(0)
    # Values in bursts would allow ever higher frequencies, but show little beyond their average distance.
    usual = max(float(np.median(np.diff(at_ns))), span / (len(at_ns) - 1) / 2)
    lowest, highest = LEAST_CYCLES / span, 0.5 / usual - 2 / span
    return np.linspace(lowest, highest, OVERSAMPLING * max(0, math.ceil(span * (highest - lowest))))


def _false_alarms_of(power: Floats, at_ns: Floats, noise_ns: Floats, frequencies: Floats, ranks: int) -> Floats:
    """For each frequency, the probability that noise without a period reaches its power anywhere, on any of `ranks`
    ranks.

    Two peaks may belong to a period: the highest one, and the one that stands out most above lasting noise.
    """
    per_value = frequencies * (at_ns[-1] - at_ns[0]) / (len(at_ns) - 1)

    def alarms(lasting: float) -> Floats:
        whitened = power / np.maximum(1, _lasting_spectrum(lasting, per_value))
        return _false_alarms(whitened, len(at_ns), len(frequencies) * ranks)

    whole = alarms(_lasting(noise_ns - noise_ns.mean()))
    if alarms(0).min() >= CERTAIN:
        return whole
    peaks = {int(np.argmin(whole)), int(np.argmax(power))}
    alarm_sets = [alarms(_lasting(_beside_period(at_ns, noise_ns, float(frequencies[peak])))) for peak in peaks]
    return min(alarm_sets, key=lambda candidate: float(candidate.min()))


def _beside_period(at_ns: Floats, noise_ns: Floats, frequency: float) -> Floats:
    """The values without a period of about this frequency: each value less the mean of all values at the same place in
    the period. A period has about as many places as values. Of several frequencies around this one, the one with the
    best fit is used."""
    span = float(at_ns[-1] - at_ns[0])
    places = max(2, round((len(at_ns) - 1) / (frequency * span)))
    trials = (frequency + step / span for step in np.linspace(-0.5, 0.5, 11))
    return min(
        (_without_period(at_ns, noise_ns, trial, places)[0] for trial in trials), key=lambda left: float(left @ left)
    )


def _peak(power: Floats, frequencies: Floats, position: int) -> float:
    """The frequency of a peak: the top of the parabola through it and its two neighbours."""
    if not 0 < position < len(power) - 1:
        return float(frequencies[position])
    left, top, right = (float(power[position + step]) for step in (-1, 0, 1))
    bend = left - 2 * top + right
    shift = (left - right) / 2 / bend if bend < 0 else 0.0
    return float(frequencies[position] + min(0.5, max(-0.5, shift)) * (frequencies[1] - frequencies[0]))


def _without_period(at_ns: Floats, noise_ns: Floats, frequency: float, places: int) -> tuple[Floats, int]:
    """The values without a period of this frequency: each value less the mean of all values at the same place in the
    period. Also returns the number of places with values. places: the number of equal parts of a period."""
    place = np.floor((at_ns - at_ns[0]) * frequency % 1 * places).astype(int)
    sums, counts = np.bincount(place, noise_ns, places), np.bincount(place, minlength=places)
    return noise_ns - (sums / np.maximum(counts, 1))[place], int(np.count_nonzero(counts))


def _fundamental(power: Floats, frequencies: Floats, best: int, at_ns: Floats, noise_ns: Floats) -> float:
    """The frequency of the period that a peak belongs to. Short bursts have harmonics as high as their own peak, so the
    peak may be a harmonic of a lower frequency. A lower frequency is returned if it has a peak itself, or if a period
    of this frequency explains clearly more of the variance."""
    peak = _peak(power, frequencies, best)
    fundamental, best_share = peak, 0.0
    for divisor in range(1, HARMONICS + 1):
        frequency = peak / divisor
        if frequency < frequencies[0]:
            break
        mask = np.abs(frequencies - frequency) <= OVERSAMPLING * (frequencies[1] - frequencies[0]) / 2
        left, places = _without_period(at_ns, noise_ns, frequency, len(noise_ns) // VALUES_A_PLACE)
        explained = 1 - float(left @ left) / max(1, len(left) - places) / float(np.var(noise_ns, ddof=1))
        if power[mask].max() > AS_HIGH * power[best] or explained > CLEARLY_MORE * best_share:
            fundamental, best_share = frequency, max(best_share, explained)
    return fundamental


def _steadiness(at_ns: Floats, noise_ns: Floats, frequency: float) -> float:
    """Agreement of the noise's phases at a frequency over the parts of the run, 0 to 1: the length of the mean of their
    directions (Mardia and Jupp 2000, section 2.3.1)."""
    turns = np.exp(-2j * np.pi * frequency * (at_ns - at_ns[0]))
    sums = [
        complex(np.sum((noise - noise.mean()) * turn))
        for noise, turn in zip(np.array_split(noise_ns, PARTS), np.array_split(turns, PARTS), strict=True)
    ]
    return abs(sum(direction / abs(direction) for direction in sums if direction)) / PARTS


def _lasting(centred: Floats) -> float:
    """The correlation of neighbouring values, 0 to 0.99. It is corrected, because few values show too low a correlation
    (Kendall 1954). centred: the values less their mean."""
    variance = float(centred @ centred)
    correlation = float(centred[:-1] @ centred[1:]) / variance if variance > 0 else 0.0
    return min(0.99, max(0.0, correlation + (1 + 4 * correlation) / len(centred)))


def _lasting_spectrum(lasting: float, per_value: Floats) -> Floats:
    """The spectrum, with mean 1, of noise whose neighbours have the correlation `lasting`. per_value: frequencies in
    cycles per value."""
    return (1 - lasting**2) / (1 - 2 * lasting * np.cos(2 * np.pi * per_value) + lasting**2)


def _false_alarms(power: Floats, n: int, frequencies: int) -> Floats:
    """The probability that noise of `n` values reaches each power at any of `frequencies` frequencies."""
    tail = np.exp((n - 3) / 2 * np.log1p(-np.minimum(power, ALMOST_ALL)))
    return -np.expm1(frequencies * np.log1p(-np.minimum(tail, ALMOST_ALL)))
