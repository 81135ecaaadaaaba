// The timeline of each lane: its MPI calls in order, and the waits that connect it to other lanes.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "binding.h"
#include "columns.h"
#include "scratch.h"

namespace hopscope::paths {

struct Place {
    int32_t lane;
    int64_t t;
};

// An outermost call on its lane, of a collective or another MPI function. Time between two items is computing.
struct Item {
    int64_t begin, end; // end: INT64_MAX if the trace ends inside
    int64_t place;      // row of `calls`, or ~row of `intervals`
    bool is_call() const {
        return place >= 0;
    }
    size_t row() const {
        return static_cast<size_t>(is_call() ? place : ~place);
    }
};

// Time that the collector took on a lane.
struct Overhead {
    int32_t lane;
    int64_t end, begin;
};
inline bool operator<(const Overhead &a, const Overhead &b) {
    return std::tie(a.lane, a.end, a.begin) < std::tie(b.lane, b.end, b.begin);
}

// A wait of a lane for a message, until its end. The path continues at the other end. If the receiver waited for a
// transfer that its own post started, the path stays at the receiver.
struct Wait {
    int64_t end;        // when the wait was over, on `lane`
    int64_t tie;        // of two waits that end together, the lane waited for the one with the greater tie
    int64_t other_time; // strictly before end
    int64_t message;    // id of the hop or message
    int32_t lane;
    int32_t other_lane; // of the other end
    int8_t link;        // enum link_class
    bool by_sender;     // `lane` is the sender
    bool stays;         // the path stays at `lane`
    bool undecided;     // not known if `lane` waited
    Place cause() const {
        return {stays ? lane : other_lane, other_time};
    }
};

// Makes the waits for messages. Waits for hops are sorted by (collective, lane, end, tie, message).
PooledVector<Wait> waits_of(const Messages &messages, const BindingResult &bindings);

// The waits in collectives, sorted; row c of `collectives` has first[c] .. first[c + 1].
struct HopWaits {
    const Wait *waits = nullptr;
    const int64_t *first = nullptr;
    // Among a lane's waits in one collective, the last that ended at or before t; nullptr if there is none.
    const Wait *last_before(size_t collective, int32_t lane, int64_t t) const;
};

// The index of each collective's first wait among the waits for all hops; one entry more than collectives.
std::vector<int64_t> first_waits(const PooledVector<Wait> &waits, const Messages &hops, const Collectives &collectives);

class Timeline {
  public:
    // counts: number of calls and MPI intervals, per lane.
    Timeline(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls, const Intervals &intervals,
             const std::function<void()> &trim_inputs);
    // The last item of a lane that begins strictly before t; nullptr if there is none.
    const Item *last_before(int32_t lane, int64_t t) const;
    // The items of a lane: pointers to the first and behind the last.
    std::pair<const Item *, const Item *> items(int32_t lane) const {
        return {items_.begin(static_cast<size_t>(lane)), ends_[static_cast<size_t>(lane)]};
    }
    void trim() const;

  private:
    Grouped<Item> items_;            // by begin
    std::vector<const Item *> ends_; // per lane, without items nested in another
};

class MessageWaits {
  public:
    // counts: number of waits, per lane.
    MessageWaits(const Scratch &scratch, const std::vector<size_t> &counts, const Column<Wait> &waits,
                 const std::function<void()> &trim_inputs);
    const Wait *last_before(int32_t lane, int64_t t) const;
    void trim() const;

  private:
    Grouped<Wait> waits_; // by end, tie, message
};

// The completion of a message for which nobody waited. (A Wait shows by itself that its call completed a message.)
struct Completion {
    int64_t time;
    int32_t lane;
};

class Completions {
  public:
    // counts: number of completions, per lane.
    Completions(const Scratch &scratch, const std::vector<size_t> &counts, const Column<Completion> &completions,
                const std::function<void()> &trim_inputs);
    // True if a message of that lane completed in (begin, end].
    bool contains(int32_t lane, int64_t begin, int64_t end) const;
    void trim() const;

  private:
    Grouped<int64_t> ends_;
};

// The collectives that returned early and were found complete in a wait or test. A wait lasts from its begin, which is
// that of the first poll of a row, to the completion. The waits of a lane do not overlap, but one may end several
// collectives.
class EarlyReturns {
  public:
    struct Completed {
        int64_t wait_begin, complete;
        int64_t call; // row
    };
    // counts: number of collectives that returned early, per lane that found them complete.
    EarlyReturns(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls,
                 const std::function<void()> &trim_inputs);
    // The collectives for which a lane waited in the MPI call that it entered at `begin`: the wait began with this
    // call, or with an earlier poll of the row.
    std::pair<const Completed *, const Completed *> waited_for(int32_t lane, int64_t begin) const;
    void trim() const;

  private:
    Grouped<Completed> by_lane_;
};

} // namespace hopscope::paths
