#include "record/clock.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool clock_is_tsc;
static double ticks_per_ns = 1;

static bool has_invariant_tsc(void) {
#if defined(__x86_64__)
    unsigned a, b, c, d;
    /* CPUID leaf 0x80000007, EDX bit 8: "TSC invariant" (Intel SDM vol. 3, 18.17.1; AMD APM vol. 3, E.4.7). */
    if (__get_cpuid(0x80000007u, &a, &b, &c, &d))
        return d >> 8 & 1;
#endif
    return false;
}

struct clock_pair clock_calibrate(void) {
    struct clock_pair closest = {0, 0};
    uint64_t shortest_interval = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before_ticks = clock_now();
        uint64_t ns = clock_monotonic_ns();
        uint64_t after_ticks = clock_now();
        if (after_ticks - before_ticks < shortest_interval) {
            shortest_interval = after_ticks - before_ticks;
            closest = (struct clock_pair){before_ticks + (after_ticks - before_ticks) / 2, ns};
        }
    }
    return closest;
}

void clock_start(void) {
    clock_is_tsc = has_invariant_tsc();
    if (!clock_is_tsc)
        return;
    /* 200 microseconds are enough: the rate's error is then well below one percent. */
    struct clock_pair first = clock_calibrate(), second = first;
    while (second.monotonic_ns - first.monotonic_ns < 200000)
        second = clock_calibrate();
    ticks_per_ns = (double)(second.ticks - first.ticks) / (double)(second.monotonic_ns - first.monotonic_ns);
}

uint64_t clock_ticks_of_ns(uint64_t ns) {
    return (uint64_t)((double)ns * ticks_per_ns);
}
