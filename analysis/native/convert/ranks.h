/* Ranks, their hosts and clusters, and the link class of two ranks. */
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "columns.h"
#include "definitions.h"
#include "location_events.h"
#include "schemas/links.h"

namespace hopscope {

struct Rank {
    std::string host, cluster, clock_host;
    std::string cores; /* the cores that it may use; empty if unknown */
    int64_t pid = kNull64, memory = kNull64, cpu_ns = kNull64, queued_ns = kNull64;
    int64_t computing_ns = kNull64, computing_on_core_ns = kNull64, computing_queued_ns = kNull64,
            computing_cpu_ns = kNull64;
    int32_t core = kNull32, busy_threads = kNull32;
    int32_t world = 0, world_rank = 0;
    std::string complete; /* ARCHIVE_COMPLETE, or why it is incomplete; empty if the trace does not say */
    int64_t first = kNull64, last = kNull64; /* corrected ticks */
    bool finalized = false;                  /* true if its MPI_Finalize is in the trace */
};

class Ranks {
  public:
    /* Makes one rank for every location group that is a process: in the order of their `MPI Rank N` names if all have
     * one, else in order of definition. A thread whose group the trace does not define becomes a rank of its own after
     * these, because its process is unknown. */
    explicit Ranks(const Definitions &definitions);

    std::vector<Rank> ranks;
    int32_t threads_without_process = 0;

    /* The rank of a location; for an accelerator, the rank that drives it; -1 if there is none. */
    int32_t of_location(OTF2_LocationRef location) const;
    link_class link(int32_t a, int32_t b) const {
        const Place &left = places_[static_cast<size_t>(a)], &right = places_[static_cast<size_t>(b)];
        return link_class_of(a, left.host, left.cluster, b, right.host, right.cluster);
    }
    /* The possible error, in ticks, of a span between times of two ranks; 0 if they have the same clock. Assumes that
     * messages take equally long in both directions. */
    int64_t clock_error(int32_t a, int32_t b) const {
        const auto left = static_cast<size_t>(a), right = static_cast<size_t>(b);
        return places_[left].clock == places_[right].clock ? 0 : errors_[left] + errors_[right];
    }
    /* Sets each clock's error to the largest one of its clock offsets. */
    void set_clock_errors(const std::vector<LocationEvents> &locations);

  private:
    /* A rank's host, cluster and clock as numbers, because they are looked up for every message. */
    struct Place {
        int32_t host, cluster, clock;
    };

    std::vector<Place> places_; /* per rank */
    std::unordered_map<OTF2_LocationRef, int32_t> rank_of_;
    std::vector<int64_t> errors_; /* per rank: error of its clock against the reference clock, in ticks */
};

} // namespace hopscope
