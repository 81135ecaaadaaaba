/* The machine's counter, from which records get their timestamps. */
#ifndef HOPSCOPE_CLOCK_H
#define HOPSCOPE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* True if ticks are those of the processor's cycle counter, because it runs at the same rate on all cores and in all
 * power states (x86's invariant TSC). Otherwise ticks are nanoseconds of CLOCK_MONOTONIC. Set by clock_start. */
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

/* Makes the processor finish earlier loads before it next reads its counter. Without this it may read the counter too
 * early, and a message may seem to be received some nanoseconds before it was sent. */
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
/* Reads both clocks as nearly at the same time as possible: the best of a few attempts. */
struct clock_pair clock_calibrate(void);
/* Converts ns to ticks approximately, for thresholds only. The assembly converts the records' ticks exactly. */
uint64_t clock_ticks_of_ns(uint64_t ns);

#endif
