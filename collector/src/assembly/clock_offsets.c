/* Round trips between machines give offsets: to the reference machine, which the first world's were measured against;
 * those of other worlds, measured against one of their own, by way of that one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/run.h"

bool clock_add_measurement(struct machine *machine, struct clock_measurement measurement) {
    struct clock_measurement *grown = realloc(machine->measurements, (machine->measurement_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    machine->measurements = grown;
    size_t i = machine->measurement_count++;
    for (; i > 0 && grown[i - 1].at_ns > measurement.at_ns; i--)
        grown[i] = grown[i - 1];
    grown[i] = measurement;
    return true;
}

/* Offset and bound of one round trip: reference -> here -> reference. */
static struct clock_measurement measure(const struct machine *reference, const struct machine *here,
                                        const struct round_trip *trip) {
    int64_t ref_send = (int64_t)clock_map_ns(reference, trip->ref_send);
    int64_t ref_recv = (int64_t)clock_map_ns(reference, trip->ref_recv);
    int64_t here_recv = (int64_t)clock_map_ns(here, trip->here_recv);
    int64_t here_send = (int64_t)clock_map_ns(here, trip->here_send);
    int64_t bound = ((ref_recv - ref_send) - (here_send - here_recv)) / 2;
    bound = bound < 0 ? 0 : bound;
    /* Rounds slower than the fastest may disagree by more than it can be wrong. */
    int64_t error = trip->spread_ns < (double)bound ? (int64_t)(trip->spread_ns + 0.5) : bound;
    return (struct clock_measurement){
        .at_ns = here_recv + (here_send - here_recv) / 2,
        .offset_ns = ((ref_send - here_recv) + (ref_recv - here_send)) / 2,
        .error_ns = error < 0 ? 0 : error,
        .bound_ns = bound,
    };
}

/* The machine that a process's world calls by that name; NO_ID if there is none. */
static uint32_t machine_named(const struct run *run, const struct process *of, const char *name) {
    const struct world *world = &run->worlds[of->world];
    for (int rank = world->first; name && rank < world->first + world->size; rank++) {
        const struct process *process = &run->processes[rank];
        if (process->clock_host && strcmp(process->clock_host, name) == 0)
            return process->machine;
    }
    return NO_ID;
}

static uint32_t find_reference(const struct run *run) {
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        for (size_t i = 0; i < process->round_trip_count; i++) {
            uint32_t machine = machine_named(run, process, process->round_trips[i].ref_host);
            if (machine != NO_ID)
                return machine;
        }
    }
    for (int rank = 0; rank < run->rank_count; rank++)
        if (run->processes[rank].machine != NO_ID)
            return run->processes[rank].machine;
    return NO_ID;
}

static struct clock_measurement reversed(struct clock_measurement m) {
    m.at_ns += m.offset_ns;
    m.offset_ns = -m.offset_ns;
    return m;
}

/* m: against a machine that has measurements against the reference. */
static struct clock_measurement by_way_of(const struct machine *between, struct clock_measurement m) {
    int64_t there = m.at_ns + m.offset_ns;
    int64_t error = 0, bound = 0;
    for (size_t i = 0; i < between->measurement_count; i++) {
        const struct clock_measurement *known = &between->measurements[i];
        error = known->error_ns > error ? known->error_ns : error;
        bound = known->bound_ns > bound ? known->bound_ns : bound;
    }
    m.offset_ns += (int64_t)clock_map_corrected(between, there > 0 ? (uint64_t)there : 0) - there;
    m.error_ns += error;
    m.bound_ns += bound;
    return m;
}

/* Takes the round trips between a machine that is tied to the reference and one that is not; *more: there were some. */
static bool tie(struct run *run, bool *tied, bool *more) {
    bool *before = malloc(run->machine_count * sizeof *before);
    if (!before)
        return false;
    memcpy(before, tied, run->machine_count * sizeof *before);
    bool ok = true;
    *more = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        uint32_t here = process->machine;
        for (size_t i = 0; here != NO_ID && i < process->round_trip_count && ok; i++) {
            uint32_t there = machine_named(run, process, process->round_trips[i].ref_host);
            if (there == NO_ID || before[here] == before[there])
                continue;
            struct clock_measurement m = measure(&run->machines[there], &run->machines[here], &process->round_trips[i]);
            uint32_t loose = before[there] ? here : there, known = before[there] ? there : here;
            m = loose == here ? m : reversed(m);
            if (!run->machines[known].is_reference)
                m = by_way_of(&run->machines[known], m);
            ok = clock_add_measurement(&run->machines[loose], m);
            *more = tied[loose] = true;
        }
    }
    free(before);
    return ok;
}

bool clock_offsets_find(struct run *run) {
    uint32_t reference = find_reference(run);
    bool *tied = calloc(run->machine_count ? run->machine_count : 1, sizeof *tied);
    if (!tied)
        return false;
    run->machines[reference].is_reference = tied[reference] = true;
    bool ok = true;
    for (bool more = true; more && ok;)
        ok = tie(run, tied, &more);
    free(tied);
    return ok;
}
