// What each lane did when: its MPI calls in order, and the waits that bind it to other lanes.
#pragma once

#include <utility>

#include "columns.h"

namespace hopscope {

// A call of a collective or another MPI call, outermost on its lane. What lies between two items is computing.
struct Item {
    int64_t begin, end; // end: INT64_MAX where the trace ends inside
    int64_t row;        // of `calls` or `intervals`
    Owner owner;
};

// The end of a message that a lane had to wait for, and where the path goes from there.
struct Wait {
    int64_t group; // collective for hops, 0 for messages
    int32_t lane;
    int32_t other_lane;
    int64_t end;        // when the wait was over, on `lane`
    int64_t tie;        // the greater of two that end together is the one that was waited for
    int64_t other_time; // strictly before end
    int64_t row;        // of the hops or messages
};

class Timeline {
  public:
    explicit Timeline(const Trace &trace);
    // The last item of a lane that begins strictly before t; nullptr if there is none.
    const Item *before(int32_t lane, int64_t t) const;

  private:
    std::vector<Item> items_;    // by lane, then begin
    std::vector<size_t> offset_; // of each lane in items_; one entry more than lanes
};

class Waits {
  public:
    Waits(const Messages &messages, const std::vector<int8_t> &binding, const std::vector<int64_t> &tie);
    // The last wait of that group and lane that was over at t or before; nullptr if there is none.
    const Wait *before(int64_t group, int32_t lane, int64_t t) const;

  private:
    std::vector<Wait> waits_; // by group, lane, end, tie, row
};

// Every end of a message, waited for or not: which MPI calls completed one.
class Completions {
  public:
    explicit Completions(const Messages &messages);
    // True if a message of that lane was complete after `begin`, at `end` or before.
    bool within(int32_t lane, int64_t begin, int64_t end) const;

  private:
    std::vector<std::pair<int32_t, int64_t>> ends_; // lane, time
};

// Which collectives that return early were found complete in a wait or test.
class EarlyReturns {
  public:
    explicit EarlyReturns(const Trace &trace);
    // The calls (rows) of a rank that the MPI call entered at `begin` completed.
    std::pair<const int64_t *, const int64_t *> completed_by(int32_t rank, int64_t begin) const;

  private:
    std::vector<std::pair<int32_t, int64_t>> keys_; // rank, begin of the completing call
    std::vector<int64_t> calls_;
};

} // namespace hopscope
