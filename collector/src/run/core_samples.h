/* The use of a core by the thread that called MPI_Init, while it computed. Sampled after its MPI calls, at most every
 * CORE_SAMPLE_NS, because a sample enters the kernel. */
#ifndef HOPSCOPE_CORE_SAMPLES_H
#define HOPSCOPE_CORE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum { CORE_SAMPLE_NS = 10000000 };

struct core_sampler {
    uint64_t due;    /* ticks of the next sample; UINT64_MAX: none of this thread */
    uint64_t in_mpi; /* ticks in MPI so far, and in polling */
};

extern _Thread_local struct core_sampler core_sampler __attribute__((tls_model("initial-exec")));

struct core_sums {
    int64_t computing_ns; /* from the thread's first call on */
    int64_t on_core_ns;   /* of it, on a core */
    int64_t queued_ns;    /* of it, ready without a core */
    int64_t cpu_ns;       /* processor time of all threads meanwhile */
};

/* Samples the calling thread from its next call of MPI on: what ranks do before is start-up. */
void core_samples_begin(void);
/* Takes a sample. Keeps errno. */
void core_sample(uint64_t ticks);
/* Reads the sums so far. False if there are none. */
bool core_samples_read(struct core_sums *sums);

/* Call it after a call. A sample takes microseconds. */
static inline void core_sample_if_due(uint64_t ticks) {
    if (__builtin_expect(ticks >= core_sampler.due, 0))
        core_sample(ticks);
}

#endif
