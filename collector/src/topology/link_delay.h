/* Reads a link's latency and bandwidth from a topology file. */
#ifndef HOPSCOPE_LINK_DELAY_H
#define HOPSCOPE_LINK_DELAY_H

#include "plan/complaint.h"
#include "topology/topology.h"

#define LINK_DELAY_KEYS "latency_ns", "bytes_per_second", "latency_trace_ns", "bytes_per_second_trace"

/* Reads the fields that `object` has into `delay`, and leaves its other fields unchanged. The topology owns the memory
 * of traces. False with a complaint. */
bool link_delay_read(struct complaint *complaint, const struct json *object, struct topology *topology,
                     struct link_delay *delay);
bool link_delay_has_latency(const struct json *object);
bool link_delay_read_rate(struct complaint *complaint, const struct json *value, double *rate);

#endif
