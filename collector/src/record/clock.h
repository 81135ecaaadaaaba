/* The machine's counter, which timestamps records. */
#ifndef HOPSCOPE_CLOCK_H
#define HOPSCOPE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* True if the processor's cycle counter runs at one rate on all cores and in all power states (x86's invariant TSC);
 * otherwise ticks are nanoseconds of CLOCK_MONOTONIC. Set by clock_start. */
extern bool clock_is_tsc;

static inline uint64_t clock_monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns ticks, which never run backwards within a thread. */
static inline uint64_t clock_now(void) {
#if defined(__x86_64__)
    if (__builtin_expect(clock_is_tsc, 1))
        return __rdtsc();
#endif
    return clock_monotonic_ns();
}

/* Makes earlier loads precede the next clock reading. Otherwise a processor may read its counter early, and a message
 * would seem to be received some nanoseconds before it was sent. */
static inline void clock_after_loads(void) {
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#endif
}

struct clock_pair {
    uint64_t ticks, monotonic_ns;
};

/* Chooses the counter and measures its rate. Call it once, before the first clock_now. */
void clock_start(void);
/* Reads both clocks at one instant: the closest pair of a few readings. */
struct clock_pair clock_calibrate(void);
/* Returns approximate ticks, for thresholds only. The assembly converts records. */
uint64_t clock_ticks_of_ns(uint64_t ns);

#endif
