// What each lane did when: its MPI calls in order, and the waits that bind it to other lanes.
#pragma once

#include <functional>
#include <utility>

#include "binding.h"
#include "columns.h"
#include "scratch.h"

namespace hopscope::paths {

struct Place {
    int32_t lane;
    int64_t t;
};

enum class Owner : int8_t { nothing, call, interval };

// A call of a collective or another MPI call, outermost on its lane. What lies between two items is computing.
struct Item {
    int64_t begin, end; // end: INT64_MAX where the trace ends inside
    int64_t row;        // of `calls` or `intervals`
    Owner owner;
};

// The end of a message that a lane had to wait for, and where the path goes from there: to the other end; or, where the
// receiver waited for a transfer that its own post began, on at the receiver.
struct Wait {
    int64_t collective; // its id; 0 for the application's messages
    int64_t end;        // when the wait was over, on `lane`
    int64_t tie;        // the greater of two that end together is the one that was waited for
    int64_t other_time; // strictly before end
    int64_t message;    // id of the hop or message
    int32_t lane;
    int32_t other_lane; // of the other end
    Link link;
    bool by_sender; // `lane` is the sender's
    bool stays;     // the path goes on at `lane`
    Place before() const {
        return {stays ? lane : other_lane, other_time};
    }
};

// The waits that messages bind: those of hops as (collective, lane, end, tie, message) orders them.
Kept<Wait> waits_of(const Messages &messages, const BindingResult &judged);

// The waits of collectives, sorted; those of row c of `collectives` are first[c] .. first[c + 1].
struct HopWaits {
    const Wait *waits = nullptr;
    const int64_t *first = nullptr;
    // The last wait of that lane in that collective that was over at t or before; nullptr if there is none.
    const Wait *before(size_t collective, int32_t lane, int64_t t) const;
};

// Where the waits of each collective begin: one entry more than collectives.
std::vector<int64_t> first_waits(const Kept<Wait> &waits, const Collectives &collectives);

class Timeline {
  public:
    Timeline(const Scratch &scratch, const Lanes &lanes, const Calls &calls, const Intervals &intervals,
             const std::function<void()> &trim_inputs);
    // The last item of a lane that begins strictly before t; nullptr if there is none.
    const Item *before(int32_t lane, int64_t t) const;
    void trim() const;

  private:
    Grouped<Item> items_;            // by begin
    std::vector<const Item *> ends_; // of each lane, without those that are nested in another
};

class MessageWaits {
  public:
    MessageWaits(const Scratch &scratch, size_t lanes, const Column<Wait> &waits,
                 const std::function<void()> &trim_inputs);
    const Wait *before(int32_t lane, int64_t t) const;
    void trim() const;

  private:
    Grouped<Wait> waits_; // by end, tie, message
};

// Every end of a message, waited for or not: which MPI calls completed one.
struct Completion {
    int64_t at;
    int32_t lane;
};

class Completions {
  public:
    Completions(const Scratch &scratch, size_t lanes, const Column<Completion> &completions,
                const std::function<void()> &trim_inputs);
    // True if a message of that lane was complete after `begin`, at `end` or before.
    bool within(int32_t lane, int64_t begin, int64_t end) const;
    void trim() const;

  private:
    Grouped<int64_t> ends_;
};

// Which collectives that return early were found complete in a wait or test.
class EarlyReturns {
  public:
    struct Completed {
        int64_t wait_begin; // of the call that completed it
        int64_t call;       // row
    };
    EarlyReturns(const Scratch &scratch, const Lanes &lanes, const Calls &calls,
                 const std::function<void()> &trim_inputs);
    // The collectives that the MPI call of a rank entered at `begin` completed.
    std::pair<const Completed *, const Completed *> completed_by(int32_t rank, int64_t begin) const;
    void trim() const;

  private:
    Grouped<Completed> by_rank_;
};

} // namespace hopscope::paths
