/* Measures how long the thread that called MPI_Init had a core while it computed. Takes samples after MPI calls, at
 * most every CORE_SAMPLE_NS, because a sample needs system calls. */
#ifndef HOPSCOPE_CORE_SAMPLES_H
#define HOPSCOPE_CORE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { CORE_SAMPLE_NS = 10000000 };

struct core_sampler {
    uint64_t due;    /* ticks at which the next sample is due; UINT64_MAX: this thread is not sampled */
    uint64_t in_mpi; /* ticks in MPI so far, and in polling */
};

extern _Thread_local struct core_sampler core_sampler __attribute__((tls_model("initial-exec")));

struct core_sums {
    int64_t computing_ns; /* time outside MPI since the thread's first call */
    int64_t on_core_ns;   /* part of computing_ns in which the thread ran on a core */
    int64_t queued_ns;    /* part of computing_ns in which the thread was ready to run, but had no core */
    int64_t cpu_ns;       /* processor time of all threads of the process while it computed */
};

/* Begins to sample the calling thread, from its next MPI call on. The time before that call is start-up. */
void core_samples_begin(void);
/* Takes a sample. Keeps errno. */
void core_sample(uint64_t ticks);
/* Reads the sums so far. False if there are none. */
bool core_samples_read(struct core_sums *sums);

/* Call it after each MPI call. A sample, if one is due, takes microseconds. */
static inline void core_sample_if_due(uint64_t ticks) {
    if (__builtin_expect(ticks >= core_sampler.due, 0))
        core_sample(ticks);
}

#endif
