#include "topology/link_delay.h"

#include <stdlib.h>

bool link_delay_has_latency(const struct json *object) {
    return json_get(object, "latency_ns") || json_get(object, "latency_trace_ns");
}

bool link_delay_read_rate(struct complaint *c, const struct json *value, double *rate) {
    if (value->type != JSON_NUMBER || !(value->number > 0))
        return complain(c, value, "a bandwidth must be a number above 0; leave it out for unlimited bandwidth");
    *rate = value->number;
    return true;
}

/* Allocates memory for the elements of a list; topology_free frees it. NULL with a complaint. */
static void *allocate_trace(struct complaint *c, const struct json *list, const char *key, const char *alternative,
                            size_t bytes_each, struct topology *topology) {
    char label[40];
    snprintf(label, sizeof label, "`%s`", key);
    if (!expect_type(c, list, JSON_ARRAY, label))
        return NULL;
    if (list->length == 0) {
        complain(c, list, "`%s` is empty; give at least one value, or `%s` instead", key, alternative);
        return NULL;
    }
    void *trace = malloc(list->length * bytes_each);
    void **traces = realloc(topology->traces, (topology->trace_count + 1) * sizeof *traces);
    if (traces)
        topology->traces = traces;
    if (!trace || !traces) {
        free(trace);
        complain(c, list, "out of memory for %zu values", list->length);
        return NULL;
    }
    topology->traces[topology->trace_count++] = trace;
    return trace;
}

static bool read_latencies(struct complaint *c, const struct json *list, struct topology *topology,
                           struct link_delay *delay) {
    uint64_t *trace = allocate_trace(c, list, "latency_trace_ns", "latency_ns", sizeof *trace, topology);
    for (size_t i = 0; trace && i < list->length; i++) {
        int64_t latency = 0;
        if (!read_integer(c, &list->items[i], "a latency", 0, INT64_MAX, &latency))
            return false;
        trace[i] = (uint64_t)latency;
    }
    delay->trace_ns = trace;
    delay->trace_length = list->length;
    return trace != NULL;
}

static bool read_rates(struct complaint *c, const struct json *list, struct topology *topology,
                       struct link_delay *delay) {
    double *rates = allocate_trace(c, list, "bytes_per_second_trace", "bytes_per_second", sizeof *rates, topology);
    for (size_t i = 0; rates && i < list->length; i++)
        if (!link_delay_read_rate(c, &list->items[i], &rates[i]))
            return false;
    delay->rates = rates;
    delay->rate_count = list->length;
    return rates != NULL;
}

bool link_delay_read(struct complaint *c, const struct json *object, struct topology *topology,
                     struct link_delay *delay) {
    const struct json *latency = json_get(object, "latency_ns"), *latencies = json_get(object, "latency_trace_ns");
    const struct json *rate = json_get(object, "bytes_per_second"), *rates = json_get(object, "bytes_per_second_trace");
    if (latency) {
        int64_t value = 0;
        if (!read_integer(c, latency, "`latency_ns`", 0, INT64_MAX, &value))
            return false;
        delay->latency_ns = (uint64_t)value;
        delay->trace_ns = NULL;
    }
    if (latencies && !read_latencies(c, latencies, topology, delay))
        return false;
    if (rate) {
        if (!link_delay_read_rate(c, rate, &delay->bytes_per_second))
            return false;
        delay->rates = NULL;
    }
    return !rates || read_rates(c, rates, topology, delay);
}
