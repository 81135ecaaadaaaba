/* One machine's clock: converts its ticks to nanoseconds, and these to the time of the reference machine. */
#ifndef HOPSCOPE_MACHINE_CLOCK_H
#define HOPSCOPE_MACHINE_CLOCK_H

#include "assembly/run.h"

uint64_t machine_clock_ns(const struct machine *machine, uint64_t ticks);
/* The time on the reference machine's clock. */
uint64_t machine_clock_corrected(const struct machine *machine, uint64_t raw_ns);
/* Adds a measurement in time order. False if memory runs out. */
bool machine_clock_add(struct machine *machine, struct clock_measurement measurement);

#endif
