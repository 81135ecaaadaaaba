"""Ticks become nanoseconds, and the clocks of machines are aligned."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from spooled_trace import Trace, barrier, world

NewTrace = Callable[[str], Trace]

TSC = '"tsc"'


def pair(rank: int, ticks: int, monotonic_ns: int) -> str:
    return f'def {rank} {{"def":"clock","ticks":{ticks},"monotonic_ns":{monotonic_ns}}}\n'


def clocks(trace: Trace) -> list[dict[str, object]]:
    return json.loads((trace.directory / "run.json").read_text())["clocks"]


def times(trace: Trace, location: int) -> list[int]:
    return [time_ns for _, time_ns, _ in trace.events(location)]


def test_one_map_serves_all_processes_of_a_machine(new_trace: NewTrace) -> None:
    # A nanosecond has three ticks. Rank 0 knows only the clock's reading at the beginning, rank 1 only that at the end.
    trace = new_trace(
        world(0, 2, tick_source=TSC)
        + pair(0, 3_000_000_000, 5_000_000_000)
        + "spool 0 0 closed\n"
        + barrier(0, 3_000_000_300, 3_000_600_000)
        + world(1, 2, tick_source=TSC)
        + pair(1, 6_000_000_000, 6_000_000_000)
        + "spool 1 0 closed\n"
        + barrier(1, 3_000_000_600, 6_000_000_000)
    )
    assert trace.assemble() == ""
    assert times(trace, 0) == [5_000_000_100] * 2 + [5_000_200_000] * 2
    assert times(trace, 1) == [5_000_000_200] * 2 + [6_000_000_000] * 2


def test_a_rate_that_only_another_machine_knows_is_taken_and_said(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 2, tick_source=TSC)
        + pair(0, 0, 1000)
        + pair(0, 2_000_000_000, 1_000_001_000)
        + "spool 0 0 closed\n"
        + barrier(0, 200, 400)
        + world(1, 2, tick_source=TSC, machine="elsewhere", host="b0")
        + pair(1, 1000, 7000)
        + "spool 1 0 open\n"
        + barrier(1, 1200, 1400)
    )
    stderr = trace.assemble()
    assert "the clock rate of elsewhere (assumed equal to that of n1)" in stderr
    assert "the clock offset between elsewhere and n1" in stderr
    assert times(trace, 1) == [7100, 7100, 7200, 7200]


BOTH_CLOCKS = """
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>
static void now(void) {
    unsigned long long narrowest = ~0ull, ticks = 0;
    long long ns = 0;
    for (int i = 0; i < 100; i++) {  // another program may come between the two
        struct timespec t;
        unsigned long long begin = __rdtsc();
        clock_gettime(CLOCK_MONOTONIC, &t);
        unsigned long long end = __rdtsc();
        if (end - begin >= narrowest)
            continue;
        narrowest = end - begin, ticks = begin + narrowest / 2, ns = t.tv_sec * 1000000000ll + t.tv_nsec;
    }
    printf("%llu %lld\\n", ticks, ns);
}
int main(void) {
    now();
    usleep(200000);
    now();
    return 0;
}
"""
"""A program that prints the cycle counter and the clock, and both again at least 0.2 s later."""


def test_a_killed_run_on_this_machine_gets_its_rate_from_now(new_trace: NewTrace) -> None:
    """Two readings 20 us apart give a rate that is wrong by milliseconds in each later second."""
    name = subprocess.run(["uname", "-n"], capture_output=True, text=True, check=True).stdout.strip()
    flags = Path("/proc/cpuinfo").read_text()
    if "constant_tsc" not in flags:
        pytest.skip("this processor has no invariant cycle counter")
    trace = new_trace("")
    source = trace.directory / "now.c"
    source.write_text(BOTH_CLOCKS)
    subprocess.run(["cc", source, "-o", trace.directory / "now"], check=True)
    read = subprocess.run([trace.directory / "now"], capture_output=True, check=True).stdout.split()
    ticks, ns, later_ticks, later_ns = map(int, read)
    trace.write(
        world(0, 1, tick_source=TSC, machine=name)
        + pair(0, ticks, ns)
        + "spool 0 0 open\n"
        + barrier(0, ticks, later_ticks)
    )
    stderr = trace.assemble()
    assert "rate of" not in stderr
    begin, end = times(trace, 0)[0], times(trace, 0)[-1]
    assert begin == ns
    assert end - begin == pytest.approx(later_ns - ns, rel=0.01)


ROUND_TRIP = (
    'def 1 {{"def":"round_trip","ref_send":{0},"here_recv":{1},"here_send":{2},"ref_recv":{3},'
    '"ref_host":"n1","spread_ns":{4}}}\n'
)


def skewed() -> str:
    """A script in which machine n2 is 5,000 ns behind n1 at its time 1,000, and 5,400 ns behind at 9,000."""
    return (
        world(0, 2)
        + "spool 0 0 closed\n"
        + barrier(0, 6_000, 14_400)
        + world(1, 2, machine="n2", host="b0")
        + ROUND_TRIP.format(5_900, 990, 1_010, 6_100, 7.4)
        + ROUND_TRIP.format(14_300, 8_990, 9_010, 14_500, 8.6)
        + "spool 1 0 closed\n"
        + barrier(1, 1_000, 9_000)
    )


def test_offset_error_and_bound_come_from_round_trips(new_trace: NewTrace) -> None:
    trace = new_trace(skewed())
    assert trace.assemble() == ""
    assert clocks(trace) == [
        {"host": "n1", "at_ns": 6_000, "offset_ns": 0, "error_ns": 0, "bound_ns": 0},
        {"host": "n1", "at_ns": 14_400, "offset_ns": 0, "error_ns": 0, "bound_ns": 0},
        {"host": "n2", "at_ns": 1_000, "offset_ns": 5_000, "error_ns": 7, "bound_ns": 90},
        {"host": "n2", "at_ns": 9_000, "offset_ns": 5_400, "error_ns": 9, "bound_ns": 90},
    ]


def test_readers_that_apply_the_offsets_see_one_time(new_trace: NewTrace) -> None:
    # otf2-print and the otf2 package read the local definitions and so correct the times; the archive has raw times.
    trace = new_trace(skewed())
    trace.assemble()
    assert times(trace, 0) == [6_000, 6_000, 14_400, 14_400]
    assert times(trace, 1) == [6_000, 6_000, 14_400, 14_400]
    (clock,) = [line for line in trace.print("-G") if line.startswith("CLOCK_PROPERTIES")]
    assert "Global Offset: 6000, Length: 8401" in clock


def test_a_single_measurement_corrects_all_events(new_trace: NewTrace) -> None:
    """Regression: libotf2's readers ignored the measurement if it was the only ClockOffset record of its location."""
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n"
        + barrier(0, 6_000, 14_400)
        + world(1, 2, machine="n2", host="b0")
        + ROUND_TRIP.format(5_900, 990, 1_010, 6_100, 7.4)
        + "spool 1 0 open\n"
        + barrier(1, 1_000, 9_000)
    )
    trace.assemble()
    assert times(trace, 1) == [6_000, 6_000, 14_000, 14_000]


def test_of_close_measurements_the_one_with_the_smallest_bound_counts(new_trace: NewTrace) -> None:
    """Two readings 10 ns apart that differ by 20 ns would make a line that is far off at the end of the run."""
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n"
        + barrier(0, 6_000, 14_400)
        + world(1, 2, machine="n2", host="b0")
        + ROUND_TRIP.format(5_900, 990, 1_010, 6_100, 7.4)
        + ROUND_TRIP.format(5_810, 1_000, 1_020, 6_250, 7.4)
        + "spool 1 0 closed\n"
        + barrier(1, 1_000, 9_000)
    )
    trace.assemble()
    assert [clock["offset_ns"] for clock in clocks(trace)] == [0, 0, 5_000]
    assert times(trace, 1) == [6_000, 6_000, 14_000, 14_000]


def test_a_machine_that_nothing_ties_to_the_others_is_said(new_trace: NewTrace) -> None:
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n"
        + barrier(0, 10, 20)
        + world(1, 2, machine="n2", host="b0")
        + "spool 1 0 closed\n"
        + barrier(1, 1_000, 9_000)
    )
    assert "the clock offset between n2 and n1, so their times cannot be compared" in trace.assemble()


def test_a_bad_measurement_in_between_does_not_bend_the_line(new_trace: NewTrace) -> None:
    """Regression: a measurement during which the process lost its core was 6 ms off, and so were all events around
    it."""
    trip = ROUND_TRIP
    trace = new_trace(
        world(0, 2)
        + "spool 0 0 closed\n"
        + barrier(0, 6_000, 20_000_006_000)
        + world(1, 2, machine="n2", host="b0")
        + trip.format(5_900, 990, 1_010, 6_100, 7.4)
        + trip.format(10_000_005_900, 10_000_000_990, 10_000_001_010, 10_012_006_100, 7.4)
        + trip.format(15_000_005_900, 15_000_000_990, 15_000_001_010, 15_000_007_300, 7.4)
        + trip.format(20_000_005_900, 20_000_000_990, 20_000_001_010, 20_000_006_100, 7.4)
        + "spool 1 0 closed\n"
        + barrier(1, 1_000, 20_000_001_000)
    )
    assert trace.assemble() == ""
    measurements = [(clock["offset_ns"], clock["bound_ns"]) for clock in clocks(trace) if clock["host"] == "n2"]
    # The third measurement is a little worse than its neighbours, but clocks may drift more than that in five seconds.
    assert measurements == [(5_000, 90), (5_600, 690), (5_000, 90)]
