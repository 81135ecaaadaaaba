/* Reads an archive piece by piece: first the definitions, then all locations side by side. A piece takes all of them up
 * to about the same time. Two threads do this, each with its own readers. */
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "archive.h"
#include "comms.h"
#include "definitions.h"
#include "location_events.h"
#include "location_reader.h"
#include "ranks.h"

namespace hopscope {

/* Progress of the conversion. The workers write it, the display reads it. */
struct Progress {
    std::atomic<const char *> stage{"reading"};
    std::atomic<uint64_t> done{0}, total{0};
    std::atomic<bool> cancelled{false};
};

/* Thrown inside the workers when Progress::cancelled was set. */
struct Cancelled {};

struct Trace {
    std::unique_ptr<Definitions> definitions;
    std::unique_ptr<Ranks> ranks;
    std::unique_ptr<Comms> comms;
    std::vector<LocationEvents> locations; /* in order of definition; only those that belong to a rank */
    int64_t first = 0, last = 0;           /* corrected ticks of the first event, and of the last one so far */

    /* Nanoseconds from the first event to this time. */
    int64_t ns(int64_t ticks) const {
        return span_ns(ticks - first);
    }
    int64_t ns_or_null(int64_t ticks) const {
        return ticks == kNull64 ? kNull64 : ns(ticks);
    }
    /* The length of a span of ticks in nanoseconds. */
    int64_t span_ns(int64_t ticks) const {
        return definitions->ticks_per_second == 1000000000 ? ticks : scaled(ticks);
    }

  private:
    int64_t scaled(int64_t ticks) const;
};

class Reading {
  public:
    /* Opens the archive and reads its definitions. piece_events: about the number of events per piece; 0: all in one
     * piece. Throws ArchiveError. */
    Reading(const std::string &anchor, uint64_t piece_events, Progress &progress);
    ~Reading();

    /* Reads the next piece into trace().locations. Returns false if there was nothing left. Throws ArchiveError if
     * nothing at all can be read, or Cancelled. */
    bool next_piece();
    /* The times before which all records of all locations are final. */
    Horizon horizon() const;

    Trace &trace() {
        return trace_;
    }
    const Trace &trace() const {
        return trace_;
    }

  private:
    struct Source; /* one thread's readers */

    void open_locations();
    void choose_target();
    void close_ended_ranks();
    void refuse_if_unreadable() const;
    void measure();
    void check_span() const;
    template <typename Work> void in_threads(const Work &work);

    std::string anchor_;
    uint64_t piece_events_;
    Progress &progress_;
    Trace trace_;
    std::vector<std::unique_ptr<Source>> sources_;
    int64_t target_ = kNull64; /* where the next piece ends */
};

} // namespace hopscope
