/* Turns round trips between machines into offsets to the reference machine. The first world measured its offsets to the
 * reference machine itself. Every other world measured them to one of its own machines. They are added to the offset of
 * that machine. */
#include "assembly/clock_offsets.h"

#include <stdlib.h>
#include <string.h>

#include "assembly/machine_clock.h"

/* The clock offset, and the bound of its error, that result from one round trip: reference -> this machine ->
 * reference. */
static struct clock_measurement measure(const struct machine *reference, const struct machine *machine,
                                        const struct round_trip *trip) {
    int64_t ref_send = (int64_t)machine_clock_ns(reference, trip->ref_send);
    int64_t ref_recv = (int64_t)machine_clock_ns(reference, trip->ref_recv);
    int64_t here_recv = (int64_t)machine_clock_ns(machine, trip->here_recv);
    int64_t here_send = (int64_t)machine_clock_ns(machine, trip->here_send);
    int64_t bound = ((ref_recv - ref_send) - (here_send - here_recv)) / 2;
    bound = bound < 0 ? 0 : bound;
    /* spread_ns comes from several round trips, also slower ones, and may exceed the bound. The error cannot. */
    int64_t error = trip->spread_ns < (double)bound ? (int64_t)(trip->spread_ns + 0.5) : bound;
    return (struct clock_measurement){
        .at_ns = here_recv + (here_send - here_recv) / 2,
        .offset_ns = ((ref_send - here_recv) + (ref_recv - here_send)) / 2,
        .error_ns = error < 0 ? 0 : error,
        .bound_ns = bound,
    };
}

/* The machine that has this name in a process's world. NO_ID if there is none. */
static uint32_t machine_named(const struct run *run, const struct process *observer, const char *name) {
    const struct world *world = &run->worlds[observer->world];
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

/* Turns a measurement against the machine `intermediate` into a measurement against the reference, by adding the
 * intermediate's own offset and errors. */
static struct clock_measurement by_way_of(const struct machine *intermediate, struct clock_measurement m) {
    int64_t intermediate_ns = m.at_ns + m.offset_ns;
    int64_t error = 0, bound = 0;
    for (size_t i = 0; i < intermediate->measurement_count; i++) {
        const struct clock_measurement *measurement = &intermediate->measurements[i];
        error = measurement->error_ns > error ? measurement->error_ns : error;
        bound = measurement->bound_ns > bound ? measurement->bound_ns : bound;
    }
    m.offset_ns += (int64_t)machine_clock_corrected(intermediate, intermediate_ns > 0 ? (uint64_t)intermediate_ns : 0) -
                   intermediate_ns;
    m.error_ns += error;
    m.bound_ns += bound;
    return m;
}

/* Ties further machines to the reference: those with a round trip to a machine that is already tied. Sets *has_changed
 * if there was such a round trip. */
static bool tie(struct run *run, bool *tied, bool *has_changed) {
    bool *was_tied = malloc(run->machine_count * sizeof *was_tied);
    if (!was_tied)
        return false;
    memcpy(was_tied, tied, run->machine_count * sizeof *was_tied);
    bool ok = true;
    *has_changed = false;
    for (int rank = 0; rank < run->rank_count; rank++) {
        const struct process *process = &run->processes[rank];
        uint32_t own_machine = process->machine;
        for (size_t i = 0; own_machine != NO_ID && i < process->round_trip_count && ok; i++) {
            uint32_t ref_machine = machine_named(run, process, process->round_trips[i].ref_host);
            if (ref_machine == NO_ID || was_tied[own_machine] == was_tied[ref_machine])
                continue;
            struct clock_measurement m =
                measure(&run->machines[ref_machine], &run->machines[own_machine], &process->round_trips[i]);
            uint32_t untied_machine = was_tied[ref_machine] ? own_machine : ref_machine,
                     tied_machine = was_tied[ref_machine] ? ref_machine : own_machine;
            m = untied_machine == own_machine ? m : reversed(m);
            if (!run->machines[tied_machine].is_reference)
                m = by_way_of(&run->machines[tied_machine], m);
            ok = machine_clock_add(&run->machines[untied_machine], m);
            *has_changed = tied[untied_machine] = true;
        }
    }
    free(was_tied);
    return ok;
}

bool clock_offsets_find(struct run *run) {
    uint32_t reference = find_reference(run);
    bool *tied = calloc(run->machine_count ? run->machine_count : 1, sizeof *tied);
    if (!tied)
        return false;
    run->machines[reference].is_reference = tied[reference] = true;
    bool ok = true;
    for (bool has_changed = true; has_changed && ok;)
        ok = tie(run, tied, &has_changed);
    free(tied);
    return ok;
}
