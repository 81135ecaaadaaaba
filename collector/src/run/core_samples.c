#include "run/core_samples.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "record/clock.h"

_Thread_local struct core_sampler core_sampler __attribute__((tls_model("initial-exec"))) = {.due = UINT64_MAX};

struct sample {
    uint64_t ticks, in_mpi;
    int64_t on_core_ns, queued_ns, cpu_ns;
};

static struct {
    struct sample last;
    struct core_sums sums;
    uint64_t period; /* ticks */
    double ns_per_tick;
    bool has_sums;
} samples; /* the state of the one thread that is sampled; the same thread reads the sums */

static int64_t read_clock(clockid_t clock) {
    struct timespec time;
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * INT64_C(1000000000) + time.tv_nsec : 0;
}

/* Reads the time in which this thread was ready but had no core. Opens the file anew for each sample, because the
 * program may close or replace a descriptor that it does not know. */
static bool read_queued(int64_t *queued_ns) {
    char text[80] = "";
    int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    return length > 0 && sscanf(text, "%*d %" SCNd64, queued_ns) == 1;
}

static bool take(struct sample *sample, uint64_t ticks) {
    *sample = (struct sample){.ticks = ticks, .in_mpi = core_sampler.in_mpi};
    sample->on_core_ns = read_clock(CLOCK_THREAD_CPUTIME_ID);
    sample->cpu_ns = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    return read_queued(&sample->queued_ns);
}

/* Adds the time since the last sample to the sums. Assigns the core's and the queue's time between two samples to
 * computing and to MPI in proportion to their durations. */
static void add(const struct sample *now) {
    const struct sample *last = &samples.last;
    uint64_t elapsed = now->ticks - last->ticks, in_mpi = now->in_mpi - last->in_mpi;
    if (in_mpi > elapsed)
        return; /* recording was paused since the last sample */
    double share = (double)(elapsed - in_mpi) / (double)elapsed;
    samples.sums.computing_ns += (int64_t)((double)(elapsed - in_mpi) * samples.ns_per_tick);
    samples.sums.on_core_ns += (int64_t)((double)(now->on_core_ns - last->on_core_ns) * share);
    samples.sums.queued_ns += (int64_t)((double)(now->queued_ns - last->queued_ns) * share);
    samples.sums.cpu_ns += (int64_t)((double)(now->cpu_ns - last->cpu_ns) * share);
    samples.has_sums = true;
}

void core_samples_begin(void) {
    samples.period = clock_ticks_of_ns(CORE_SAMPLE_NS);
    samples.ns_per_tick = (double)CORE_SAMPLE_NS / (double)samples.period;
    core_sampler.due = 0;
}

void core_sample(uint64_t ticks) {
    int saved_errno = errno;
    struct sample now;
    core_sampler.due = UINT64_MAX; /* no further samples, unless this one succeeds */
    if (take(&now, ticks)) {
        if (samples.last.ticks)
            add(&now);
        samples.last = now;
        core_sampler.due = ticks + samples.period;
    }
    errno = saved_errno;
}

bool core_samples_read(struct core_sums *sums) {
    *sums = samples.sums;
    return samples.has_sums;
}
