/* Maps ticks to nanoseconds, and one machine's nanoseconds to another's.
 *
 * All processes of a machine use the same counter, so one linear map per machine keeps their times consistent. The map
 * runs through the earliest and the latest calibration pair (ticks and nanoseconds, read together) of all processes of
 * the machine. Round trips between machines then give the offsets between their clocks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "assembly/clock_offsets.h"
#include "assembly/machine_clock.h"
#include "assembly/run.h"

/* The shortest span of calibration pairs that gives a good rate. Each pair is exact to some tens of ns, so over this
 * span the rate is exact to about 1e-6. */
static const uint64_t SHORT_SPAN_NS = 100000000;

static const char *clock_name(const struct process *process) {
    return process->clock_host ? process->clock_host : process->host ? process->host : "unknown";
}

/* Finds a process's machine among the machines of the processes already read: by the boot id of its kernel or, if that
 * is unknown, by name. *name_count: number of machines with this name. */
static uint32_t machine_of(const struct run *run, const struct process *process, int *name_count) {
    *name_count = 0;
    for (size_t i = 0; i < run->machine_count; i++) {
        const struct machine *machine = &run->machines[i];
        bool boots = machine->boot && process->boot;
        bool same_name = strcmp(machine->clock_name, clock_name(process)) == 0;
        if (boots ? strcmp(machine->boot, process->boot) == 0 : same_name)
            return (uint32_t)i;
        *name_count += same_name;
    }
    return NO_ID;
}

static bool find_machines(struct run *run) {
    for (int rank = 0; rank < run->rank_count; rank++) {
        struct process *process = &run->processes[rank];
        if (!process->present)
            continue;
        int name_count;
        process->machine = machine_of(run, process, &name_count);
        if (process->machine != NO_ID)
            continue;
        struct machine *machines = realloc(run->machines, (run->machine_count + 1) * sizeof *machines);
        if (!machines)
            return false;
        run->machines = machines;
        process->machine = (uint32_t)run->machine_count;
        struct machine *machine = &machines[run->machine_count++];
        *machine = (struct machine){.clock_name = clock_name(process),
                                    .boot = process->boot,
                                    .is_tsc = process->tick_source && strcmp(process->tick_source, "tsc") == 0,
                                    .ns_per_tick = 1,
                                    .first_ns = UINT64_MAX};
        /* Two worlds may use the same name for different machines, because each world names its machines by itself. */
        if (name_count)
            snprintf(machine->name, sizeof machine->name, "%.130s#%d", machine->clock_name, name_count + 1);
        else
            snprintf(machine->name, sizeof machine->name, "%.150s", machine->clock_name);
    }
    return true;
}

static bool read_both(struct clock_pair_definition *current_pair) {
#if defined(__x86_64__)
    struct timespec t;
    uint64_t before_ticks = __rdtsc();
    clock_gettime(CLOCK_MONOTONIC, &t);
    uint64_t after_ticks = __rdtsc();
    current_pair->ticks = before_ticks + (after_ticks - before_ticks) / 2;
    current_pair->monotonic_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    return true;
#else
    (void)current_pair;
    return false;
#endif
}

static bool has_name_of_this(const struct machine *machine) {
    char name[256];
    return gethostname(name, sizeof name) == 0 && strcmp(name, machine->name) == 0;
}

/* Reads both clocks now. False if this is another machine, or if the machine has rebooted since the pair `last` was
 * read. Recognises this by the rate at which the two clocks have advanced since `last`: it must be plausible and, if
 * the machine's rate is known, equal to it. */
static bool measure_now(const struct machine *machine, struct clock_pair_definition last, double known_rate,
                        struct clock_pair_definition *current_pair) {
    if (!has_name_of_this(machine) || !read_both(current_pair))
        return false;
    if (current_pair->ticks <= last.ticks || current_pair->monotonic_ns <= last.monotonic_ns + SHORT_SPAN_NS / 100)
        return false;
    double rate = (double)(current_pair->monotonic_ns - last.monotonic_ns) / (double)(current_pair->ticks - last.ticks);
    return known_rate > 0 ? fabs(rate / known_rate - 1) < 0.01 : rate > 0.1 && rate < 10;
}

/* Fits the map of a machine to its calibration pairs. Returns the span of the pairs in ns, which determines how precise
 * the rate is. */
static uint64_t fit(const struct run *run, struct machine *machine) {
    struct clock_pair_definition first = {0}, last = {0};
    bool has_pair = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        if (process->machine == NO_ID || &run->machines[process->machine] != machine)
            continue;
        for (size_t i = 0; i < process->pair_count; i++) {
            if (!has_pair || process->pairs[i].ticks < first.ticks)
                first = process->pairs[i];
            if (!has_pair || process->pairs[i].ticks > last.ticks)
                last = process->pairs[i];
            has_pair = true;
        }
    }
    if (!has_pair)
        return 0;
    machine->base_ticks = first.ticks;
    machine->base_ns = first.monotonic_ns < INT64_MAX / 8 ? first.monotonic_ns : INT64_MAX / 8;
    uint64_t span = last.monotonic_ns > first.monotonic_ns ? last.monotonic_ns - first.monotonic_ns : 0;
    double rate = span && last.ticks > first.ticks ? (double)span / (double)(last.ticks - first.ticks) : 0;
    struct clock_pair_definition current_pair;
    if (span < SHORT_SPAN_NS && measure_now(machine, last, span > 1000000 ? rate : 0, &current_pair)) {
        span = current_pair.monotonic_ns - first.monotonic_ns;
        rate = (double)span / (double)(current_pair.ticks - first.ticks);
    }
    if (rate > 0)
        machine->ns_per_tick = rate;
    return rate > 0 ? span : 0;
}

static bool fit_all(struct run *run) {
    uint64_t *spans = calloc(run->machine_count, sizeof *spans);
    if (!spans)
        return false;
    size_t longest = 0;
    for (size_t i = 0; i < run->machine_count; i++) {
        if (run->machines[i].is_tsc)
            spans[i] = fit(run, &run->machines[i]);
        if (spans[i] > spans[longest])
            longest = i;
    }
    for (size_t i = 0; i < run->machine_count; i++) {
        struct machine *machine = &run->machines[i];
        if (!machine->is_tsc || spans[i] >= SHORT_SPAN_NS / 10)
            continue;
        if (spans[i] == 0 && spans[longest] > 0) {
            machine->ns_per_tick = run->machines[longest].ns_per_tick;
            sentences_add(&run->missing, "the clock rate of %s (assumed equal to that of %s)", machine->name,
                          run->machines[longest].name);
        } else if (spans[i] == 0) {
            sentences_add(&run->missing, "the clock rate of %s, so its times are in ticks instead of nanoseconds",
                          machine->name);
        }
    }
    free(spans);
    return true;
}

bool clock_map_make(struct run *run) {
    return find_machines(run) && fit_all(run) && clock_offsets_find(run);
}

bool clock_map_now(const struct machine *machine, uint64_t *now_ns) {
    struct clock_pair_definition current_pair = {0};
    struct timespec t;
    if (!machine->is_tsc) {
        if (!has_name_of_this(machine) || clock_gettime(CLOCK_MONOTONIC, &t) != 0)
            return false;
        current_pair.monotonic_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
    } else {
        /* Another machine would hardly have the same boot time and the same counter rate. */
        if (!read_both(&current_pair) || current_pair.ticks < machine->base_ticks)
            return false;
        double mapped = (double)machine_clock_ns(machine, current_pair.ticks),
               elapsed_ns = mapped - (double)machine->base_ns;
        if (fabs(mapped - (double)current_pair.monotonic_ns) > 1e6 + elapsed_ns * 0.01)
            return false;
    }
    *now_ns = machine_clock_corrected(machine, current_pair.monotonic_ns);
    return true;
}

/* Of measurements close together, keeps only the one with the smallest bound. Such measurements differ only by their
 * errors, and a line through two of them would be far off at the other end of the run. */
static void keep_best_measurements(struct machine *machine) {
    int64_t min_distance_ns = (int64_t)(machine->last_ns - machine->first_ns) / 8;
    min_distance_ns = min_distance_ns < 1 ? 1 : min_distance_ns > 1000000000 ? 1000000000 : min_distance_ns;
    size_t kept_count = 0;
    int64_t group_begin = 0;
    for (size_t i = 0; i < machine->measurement_count; i++) {
        struct clock_measurement m = machine->measurements[i];
        if (kept_count == 0 || m.at_ns - group_begin >= min_distance_ns) {
            group_begin = m.at_ns;
            machine->measurements[kept_count++] = m;
        } else if (m.bound_ns < machine->measurements[kept_count - 1].bound_ns) {
            machine->measurements[kept_count - 1] = m;
        }
    }
    machine->measurement_count = kept_count;
}

/* An upper bound of the relative change of a clock's rate between measurements, which are some minutes apart. The
 * temperature of the quartz causes it. */
static const double WANDER = 1e-6;

/* The number of ns by which a measurement's bound exceeds the error of interpolating between its two neighbours. If it
 * is above 0, the interpolation is better than the measurement. */
static double excess_bound(const struct clock_measurement *m) {
    int64_t nearest_distance_ns =
        m->at_ns - m[-1].at_ns < m[1].at_ns - m->at_ns ? m->at_ns - m[-1].at_ns : m[1].at_ns - m->at_ns;
    int64_t neighbour_bound_ns = m[-1].bound_ns > m[1].bound_ns ? m[-1].bound_ns : m[1].bound_ns;
    return (double)(m->bound_ns - neighbour_bound_ns) - WANDER * (double)nearest_distance_ns;
}

/* Drops bad measurements, the worst first. A measurement during a run is bad if the scheduler ran another process in
 * the middle of a round trip: one time slice is as long as a thousand round trips. */
static void drop_poor_measurements(struct machine *machine) {
    for (;;) {
        size_t worst = 0;
        double worst_excess_ns = 0;
        for (size_t i = 1; i + 1 < machine->measurement_count; i++) {
            double excess_ns = excess_bound(&machine->measurements[i]);
            if (excess_ns > worst_excess_ns) {
                worst_excess_ns = excess_ns;
                worst = i;
            }
        }
        if (worst == 0)
            return;
        memmove(&machine->measurements[worst], &machine->measurements[worst + 1],
                (--machine->measurement_count - worst) * sizeof *machine->measurements);
    }
}

static void find_span(struct run *run) {
    run->first_ns = UINT64_MAX;
    for (size_t i = 0; i < run->machine_count; i++) {
        const struct machine *machine = &run->machines[i];
        if (machine->first_ns == UINT64_MAX)
            continue;
        uint64_t first = machine_clock_corrected(machine, machine->first_ns),
                 last = machine_clock_corrected(machine, machine->last_ns);
        run->first_ns = first < run->first_ns ? first : run->first_ns;
        run->last_ns = last > run->last_ns ? last : run->last_ns;
    }
    if (run->first_ns == UINT64_MAX)
        run->first_ns = run->last_ns = 0;
}

bool clock_map_finish(struct run *run) {
    const char *reference = "";
    for (size_t i = 0; i < run->machine_count; i++)
        if (run->machines[i].is_reference)
            reference = run->machines[i].name;
    for (size_t i = 0; i < run->machine_count; i++) {
        struct machine *machine = &run->machines[i];
        if (machine->first_ns == UINT64_MAX)
            continue; /* the machine has no events, so there is no time to correct */
        if (!machine->is_reference) {
            keep_best_measurements(machine);
            drop_poor_measurements(machine);
            if (machine->measurement_count == 0)
                sentences_add(&run->missing, "the clock offset between %s and %s, so their times cannot be compared",
                              machine->name, reference);
            continue;
        }
        if (!machine_clock_add(machine, (struct clock_measurement){.at_ns = (int64_t)machine->first_ns}) ||
            (machine->last_ns > machine->first_ns &&
             !machine_clock_add(machine, (struct clock_measurement){.at_ns = (int64_t)machine->last_ns})))
            return false;
    }
    find_span(run);
    return true;
}
