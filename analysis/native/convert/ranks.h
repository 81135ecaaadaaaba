/* Ranks, where they ran, and how far apart two of them are. */
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "columns.h"
#include "definitions.h"
#include "location_events.h"

namespace hopscope {

enum class Link : int32_t { Self, Shm, Lan, Wan };

/* The word of hops.link. */
const char *link_name(Link link);

struct Rank {
    std::string host, cluster, clock_host;
    int64_t pid = kNull64;
    int32_t core = kNull32;
    int32_t world = 0, world_rank = 0;
    std::string complete;                    /* "yes", why not, or empty where the trace does not say */
    int64_t first = kNull64, last = kNull64; /* corrected ticks */
    bool finalized = false;                  /* its MPI_Finalize is in the trace */
};

class Ranks {
  public:
    /* One rank for every location group that is a process: in the order of their `MPI Rank N` names if all have one,
     * else in the order of definition. Behind them one for every thread whose group the trace does not define: which
     * process it belongs to cannot be known. */
    explicit Ranks(const Definitions &definitions);

    std::vector<Rank> ranks;
    int32_t threads_without_process = 0;

    /* The rank that a location belongs to (for an accelerator, the one that drives it); -1 if none. */
    int32_t of_location(OTF2_LocationRef location) const;
    Link link(int32_t a, int32_t b) const {
        if (a == b)
            return Link::Self;
        const Place &left = places_[static_cast<size_t>(a)], &right = places_[static_cast<size_t>(b)];
        if (left.cluster != right.cluster)
            return Link::Wan;
        return left.host == right.host ? Link::Shm : Link::Lan;
    }
    /* Uncertainty of comparing two ranks' clocks in ticks, if routes are symmetric: 0 on one clock. */
    int64_t clock_error(int32_t a, int32_t b) const {
        const auto left = static_cast<size_t>(a), right = static_cast<size_t>(b);
        return places_[left].clock == places_[right].clock ? 0 : errors_[left] + errors_[right];
    }
    /* Takes the error of each clock from the locations' clock offsets. */
    void set_clock_errors(const std::vector<LocationEvents> &locations);

  private:
    /* Names are numbered, for links and clocks are asked of every message. */
    struct Place {
        int32_t host, cluster, clock;
    };

    std::vector<Place> places_; /* per rank */
    std::unordered_map<OTF2_LocationRef, int32_t> rank_of_;
    std::vector<int64_t> errors_; /* per rank, of its clock against the reference */
};

} // namespace hopscope
