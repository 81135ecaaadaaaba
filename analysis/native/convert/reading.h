/* Reads an archive: first the definitions, then the events of all locations, piece by piece. A piece has the events of
 * all locations up to about the same time. Two threads share the locations, each with its own OTF2 readers. */
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

/* Progress of the conversion. Threads that read or walk write it, and the thread that reports to the user reads it. */
struct Progress {
    std::atomic<const char *> stage{"reading"};
    std::atomic<uint64_t> done{0}, total{0};
    std::atomic<bool> cancelled{false};
};

/* Thrown to end a conversion when Progress::cancelled is set. */
struct Cancelled {};

struct Trace {
    std::unique_ptr<Definitions> definitions;
    std::unique_ptr<Ranks> ranks;
    std::unique_ptr<Comms> comms;
    std::vector<LocationEvents> locations; /* in order of definition; only those that belong to a rank */
    int64_t first = 0, last = 0;           /* the times of the first event, and of the last one read so far; in ticks */

    /* The nanoseconds from the first event to a time. */
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

    /* Reads the next piece into trace().locations. Returns false if everything had been read. Throws Cancelled, or
     * ArchiveError if no event of the archive can be read. */
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
    struct Source; /* the OTF2 readers of one thread */

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
    int64_t target_ = kNull64; /* the time, in ticks, up to which a piece is read */
};

} // namespace hopscope
