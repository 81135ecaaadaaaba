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

// A call of a collective or of another MPI function that lies in no other call. The time between two items of a lane is
// computing.
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

// A span that the collector itself took on a lane.
struct Overhead {
    int32_t lane;
    int64_t end, begin;
};
inline bool operator<(const Overhead &a, const Overhead &b) {
    return std::tie(a.lane, a.end, a.begin) < std::tie(b.lane, b.end, b.begin);
}

// A wait of a lane for a message. A critical path that comes to the wait's end goes on at the message's other lane. If
// the receiver waited for a transfer that its own post started, the path stays at the receiver.
struct Wait {
    int64_t end;        // the time at which `lane` was done waiting
    int64_t tie;        // of two waits with the same end, the one with the greater tie counts
    int64_t other_time; // the time at which the path goes on; strictly before end
    int64_t message;    // id of the hop or message
    int32_t lane;
    int32_t other_lane; // the lane of the message's other end
    int8_t link;        // enum link_class
    bool by_sender;     // true if `lane` is the sender
    bool stays;         // true if the path stays at `lane`
    bool undecided;     // true if it is not known whether `lane` waited
    Place cause() const {
        return {stays ? lane : other_lane, other_time};
    }
};

// Makes the waits of senders and receivers for messages. For hops, they are sorted by (collective, lane, end, tie,
// message).
PooledVector<Wait> waits_of(const Messages &messages, const BindingResult &bindings);

// The sorted waits for hops. Those of row c of `collectives` are waits[first[c]] .. waits[first[c + 1] - 1].
struct HopWaits {
    const Wait *waits = nullptr;
    const int64_t *first = nullptr;
    // The last wait of a lane in one collective that ended at t or before; nullptr if there is none.
    const Wait *last_before(size_t collective, int32_t lane, int64_t t) const;
};

// The index of each collective's first wait in `waits`; a last entry has the number of waits.
std::vector<int64_t> first_waits(const PooledVector<Wait> &waits, const Messages &hops, const Collectives &collectives);

class Timeline {
  public:
    // counts: per lane, the number of its calls and MPI intervals. trim_inputs: called now and then to release pages.
    Timeline(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls, const Intervals &intervals,
             const std::function<void()> &trim_inputs);
    // The last item of a lane that begins strictly before t; nullptr if there is none.
    const Item *last_before(int32_t lane, int64_t t) const;
    // The items of a lane: pointers to the first item and behind the last one.
    std::pair<const Item *, const Item *> items(int32_t lane) const {
        return {items_.begin(static_cast<size_t>(lane)), ends_[static_cast<size_t>(lane)]};
    }
    void trim() const;

  private:
    Grouped<Item> items_;            // per lane, in the order of their begins
    std::vector<const Item *> ends_; // per lane: pointer behind its last item, without items nested in others
};

class MessageWaits {
  public:
    // counts: per lane, the number of its waits.
    MessageWaits(const Scratch &scratch, const std::vector<size_t> &counts, const Column<Wait> &waits,
                 const std::function<void()> &trim_inputs);
    const Wait *last_before(int32_t lane, int64_t t) const;
    void trim() const;

  private:
    Grouped<Wait> waits_; // per lane, sorted by (end, tie, message)
};

// The completion of a message for which no rank waited. (For other messages a Wait shows that a call completed them.)
struct Completion {
    int64_t time;
    int32_t lane;
};

class Completions {
  public:
    // counts: per lane, the number of its completions.
    Completions(const Scratch &scratch, const std::vector<size_t> &counts, const Column<Completion> &completions,
                const std::function<void()> &trim_inputs);
    // True if a message for which no rank waited completed on the lane in (begin, end].
    bool contains(int32_t lane, int64_t begin, int64_t end) const;
    void trim() const;

  private:
    Grouped<int64_t> ends_;
};

// The calls, such as those of MPI_Ibcast, whose collectives a later wait or test found complete. A wait lasts from its
// begin, which is that of the first poll of a row, to the completion. The waits of a lane do not overlap, but one of
// them may end several collectives.
class EarlyReturns {
  public:
    struct Completed {
        int64_t wait_begin, complete;
        int64_t call; // row of `calls`
    };
    // counts: per lane, the number of calls whose collectives it found complete.
    EarlyReturns(const Scratch &scratch, const std::vector<size_t> &counts, const Calls &calls,
                 const std::function<void()> &trim_inputs);
    // The calls for whose collectives a lane waited in the MPI call that it entered at `begin`. The wait began with
    // this MPI call or with an earlier poll of the row.
    std::pair<const Completed *, const Completed *> waited_for(int32_t lane, int64_t begin) const;
    void trim() const;

  private:
    Grouped<Completed> by_lane_;
};

} // namespace hopscope::paths
