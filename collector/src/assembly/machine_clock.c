#include "assembly/machine_clock.h"

#include <math.h>
#include <stdlib.h>

/* The greatest time, about 36 years. Later times come from damaged spools. The limit keeps differences of times from
 * overflowing. */
static const double LONGEST_NS = (double)(INT64_MAX / 8);

static double bounded(double ns) {
    return ns > LONGEST_NS ? LONGEST_NS : ns < -LONGEST_NS ? -LONGEST_NS : ns == ns ? ns : 0;
}

uint64_t machine_clock_ns(const struct machine *machine, uint64_t ticks) {
    if (!machine->is_tsc)
        return ticks < INT64_MAX / 8 ? ticks : INT64_MAX / 8;
    if (ticks >= machine->base_ticks)
        return machine->base_ns +
               (uint64_t)(bounded((double)(ticks - machine->base_ticks) * machine->ns_per_tick) + 0.5);
    uint64_t distance_ns = (uint64_t)(bounded((double)(machine->base_ticks - ticks) * machine->ns_per_tick) + 0.5);
    return distance_ns < machine->base_ns ? machine->base_ns - distance_ns : 0;
}

/* Interpolates between measurements. Before the first and after the last, extends the nearest line, as libotf2's
 * readers do. */
uint64_t machine_clock_corrected(const struct machine *machine, uint64_t raw_ns) {
    const struct clock_measurement *m = machine->measurements;
    size_t count = machine->measurement_count;
    if (count == 0)
        return raw_ns;
    double offset = (double)m[0].offset_ns;
    if (count > 1) {
        size_t next = 1;
        while (next + 1 < count && (uint64_t)m[next].at_ns < raw_ns)
            next++;
        const struct clock_measurement *a = &m[next - 1], *b = &m[next];
        offset = (double)a->offset_ns + (double)(b->offset_ns - a->offset_ns) * (double)((int64_t)raw_ns - a->at_ns) /
                                            (double)(b->at_ns - a->at_ns);
    }
    int64_t result = (int64_t)raw_ns + (int64_t)llround(bounded(offset));
    return result < 0 ? 0 : (uint64_t)result;
}

bool machine_clock_add(struct machine *machine, struct clock_measurement measurement) {
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
