// Inputs of the walks over a whole trace, collected piece by piece in scratch files.
#pragma once

#include <memory>
#include <vector>

#include "bins.h"
#include "communicating_lanes.h"
#include "timeline.h"

namespace hopscope::paths {

// The end of a thread.
struct ThreadEnd {
    int32_t rank;
    int64_t t;
    int32_t lane;
};
inline bool operator<(const ThreadEnd &a, const ThreadEnd &b) {
    return std::tie(a.rank, a.t, a.lane) < std::tie(b.rank, b.t, b.lane);
}

class History {
  public:
    // The caller may fill in lanes.first_event until finish().
    History(const Scratch &scratch, const Lanes &lanes);

    // Adds a piece's collectives with all their calls and waits. Call it in the order of the pieces. Another thread may
    // add intervals or messages at the same time.
    void add(const Collectives &collectives, const Calls &calls, const HopWaits &hop_waits);
    void add(const Intervals &intervals);
    // Adds the application's messages, with their bindings.
    void add(const Messages &messages, const BindingResult &bindings);
    // Adds the times at which the two ends of hops waited for each other. Call it in the thread that adds collectives.
    void add_hop_times(const Messages &hops);
    // Call it after the last add() and before any walk.
    void finish();
    // Returns the files' pages to the system; long walks call it now and then. No other thread may walk or keep a
    // pointer meanwhile, because touching the pages loads them again.
    void trim() const;

    // The begin of the backward walk of the run's path; lane -1 for none. Set by finish().
    Place end_of_run() const {
        return end_of_run_;
    }
    const Lanes &lanes() const {
        return lanes_;
    }
    const Collectives &collectives() const {
        return collectives_;
    }
    const Calls &calls() const {
        return calls_;
    }
    const Intervals &intervals() const {
        return intervals_;
    }
    const HopWaits &hop_waits() const {
        return hop_waits_;
    }
    const Timeline &timeline() const {
        return *timeline_;
    }
    const MessageWaits &message_waits() const {
        return *message_waits_;
    }
    const Completions &completions() const {
        return *completions_;
    }
    const EarlyReturns &early_returns() const {
        return *early_returns_;
    }
    // The collector's own time, by lane and end.
    const std::vector<Overhead> &overheads() const {
        return overheads_;
    }
    // The last end of another thread of this rank between begin and end, with that thread's lane; lane -1 if there is
    // none.
    Place last_thread_end(int32_t lane, int64_t begin, int64_t end) const;
    // The last end of an MPI call, or of a thread, of the rank's other threads between begin and end, if this main
    // thread does not communicate and they do; lane -1 if not.
    Place last_communication(int32_t lane, int64_t begin, int64_t end) const;
    // The waits at the ends of hops, by lane, sorted.
    const Grouped<HopTime> &hop_times() const {
        return hop_times_;
    }
    // Gives the stays of a lane in MPI, in time order. A missing end is INT64_MAX.
    void spans_of(int32_t lane, const std::function<void(const Span &)> &give) const;

  private:
    Place find_end_of_run() const;
    bool is_of_threads(const Item &item) const;
    Span span_of(int32_t lane, const Item &item) const;

    const Scratch &scratch_;
    const Lanes &lanes_;
    std::vector<int64_t> last_calls_, last_intervals_, last_regions_;         // per lane; MISSING for none
    std::vector<size_t> calls_on_, intervals_on_, waits_on_, completions_on_; // number per lane
    std::vector<size_t> hop_times_on_, early_returns_on_;                     // number per lane
    bool finalizes_ = false;
    std::vector<Overhead> overheads_;
    std::vector<ThreadEnd> thread_ends_;
    CommunicatingLanes communicating_;
    Place end_of_run_{-1, MISSING};
    struct Files;
    struct FilesDeleter {
        void operator()(Files *files) const;
    };
    std::unique_ptr<Files, FilesDeleter> files_;
    Collectives collectives_;
    Calls calls_;
    Intervals intervals_;
    HopWaits hop_waits_;
    std::unique_ptr<Timeline> timeline_;
    std::unique_ptr<MessageWaits> message_waits_;
    std::unique_ptr<Completions> completions_;
    std::unique_ptr<EarlyReturns> early_returns_;
    Grouped<HopTime> hop_times_;
};

} // namespace hopscope::paths
