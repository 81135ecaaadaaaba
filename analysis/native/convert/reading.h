/* Reads a whole archive: definitions, then every location in one pass, two at a time. */
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "comms.h"
#include "definitions.h"
#include "location_events.h"
#include "ranks.h"

namespace hopscope {

/* How far the conversion is; written by the workers, read by whoever shows it. */
struct Progress {
    std::atomic<const char *> stage{"reading"};
    std::atomic<uint64_t> done{0}, total{0};
    std::atomic<bool> cancelled{false};
};

/* Thrown inside the workers when Progress::cancelled was set. */
struct Cancelled {};

struct Trace {
    Definitions definitions;
    std::unique_ptr<Ranks> ranks;
    std::unique_ptr<Comms> comms;
    std::vector<LocationEvents> locations; /* in the order of definition; only those of a rank */
    int64_t first = 0, last = 0;           /* corrected ticks of the first and last event */
    uint64_t events = 0;

    /* Nanoseconds since the first event. */
    int64_t ns(int64_t ticks) const;
    int64_t ns_or_null(int64_t ticks) const {
        return ticks == kNull64 ? kNull64 : ns(ticks);
    }
    /* The length of a span of ticks in nanoseconds. */
    int64_t span_ns(int64_t ticks) const;
    int32_t rank_of(const LocationEvents &location) const {
        return ranks->of_location(location.location);
    }
};

/* Throws ArchiveError or Cancelled. */
Trace read_trace(const std::string &anchor, Progress &progress);

} // namespace hopscope
