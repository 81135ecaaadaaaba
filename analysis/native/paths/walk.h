// Walks along the critical paths of single collectives. A hop is binding if one of its two ranks had to wait for the
// other. The columns may be those of a whole trace or of a piece of it.
#pragma once

#include "columns.h"
#include "timeline.h"

namespace hopscope::paths {

// A stretch of a path. Fields that do not apply are -1. The caller numbers op and call_site.
struct Stretch {
    int64_t begin, end, collective, hop, message;
    int32_t rank, src, dst, op, call_site;
    Category category;
};

using Backward = std::vector<Stretch>; // latest first

// The MPI call or collective that contains a stretch.
struct CallContext {
    int64_t collective = -1; // its id
    int32_t op = -1, call_site = -1;
};

class CollectiveWalker {
  public:
    // All arguments must outlive this object. Row numbers count from the first row of `collectives` or of `calls`.
    // overheads: spans of the collector's own time. A stretch in MPI is split around them; they become own stretches.
    CollectiveWalker(const Collectives &collectives, const Calls &calls, const Lanes &lanes, HopWaits hop_waits,
                     const std::vector<Overhead> *overheads = nullptr);

    // For each hop: the id of the last hop that its sender had to wait for before it sent; -1 if there is none.
    PooledVector<int64_t> hop_predecessors(const Messages &hops) const;
    // For each call: the id of the last hop that its rank had to wait for before the call's end; -1 if there is none.
    PooledVector<int64_t> call_predecessors() const;
    // For each call: the begin of the chain of binding hops that it waited for. That is the lane of the rank for which
    // all ranks on the chain waited, and the time at which that rank entered the collective or came to wait for it. For
    // a nonblocking collective without hops it is last_needed(). Lane -1 if the hops are unknown or undecided, or if
    // the call has no end.
    PooledVector<Place> chain_begins() const;
    // The begin of a collective's critical path: the begin of the chain of hops for which the last rank waited. Lane -1
    // if the collective has no hops or a wait is undecided.
    Place begin_of_path(size_t collective) const;
    // Appends the critical path of each collective, with its stretches in the order of time. Returns the rows of the
    // collectives with hops whose paths could not go through the hops, because a wait is undecided.
    std::vector<size_t> keep_paths(Stretches &stretches) const;

    // Walks back through a collective, from a place in it to a rank's enter, and returns that place. In a nonblocking
    // collective the walk may also end where a rank began to wait for it, or sent one of its messages in another call.
    Place walk(Backward &stretches, size_t collective, Place place) const;
    // Walks back through a collective's hops, and moves `place` to the end of the walk. If a wait is undecided, returns
    // false and changes nothing.
    bool walk_hops(Backward &stretches, size_t collective, Place &place) const;
    // The end of the last wait of a lane's rank for a hop of the collective, at t or before; MISSING if there is none.
    int64_t end_of_wait(size_t collective, int32_t lane, int64_t t) const;
    // Of the ranks that a call needs by its operation's rule, the last one to reach the collective before t, and when
    // it did. A rank reaches a collective when it enters it or, if it is nonblocking, when it begins to wait for it.
    // The result is the call's own rank if no other rank came later.
    Place last_needed(size_t collective, int64_t call, int64_t t) const;
    // The last place at which a rank began to wait for a nonblocking collective while another rank, which needs it by
    // the operation's rule, was already waiting. Lane -1 if there is none. Sorts the collective's calls each time.
    Place last_wait_needed(size_t collective) const;
    // The row of the call that a lane's rank made in the collective; -1 if there is none.
    int64_t call_of(size_t collective, int32_t lane) const;
    int64_t end_of_call(size_t call) const;
    size_t row_of(int64_t collective) const {
        return static_cast<size_t>(collective - collectives_.first_id);
    }
    CallContext context_of(size_t call) const;
    int32_t rank_of(int32_t lane) const {
        return lanes_.rank[static_cast<size_t>(lane)];
    }
    void add(Backward &stretches, Category category, int32_t lane, int64_t begin, int64_t end,
             const CallContext &context) const;
    void add_message(Backward &stretches, Category category, const Wait &wait, bool is_hop,
                     const CallContext &context) const;

  private:
    const Wait *last_wait(size_t collective, int64_t call, Place place) const;
    Place reached(size_t call, int64_t t) const;
    int64_t last_to_end(size_t collective) const;
    // Follows binding hops back from a place, and returns the begin of their chain. lookup(wait) returns the begin of
    // the chain through a wait if it is already known, else nullptr.
    template <typename Known> Place begin_of_chain(size_t collective, Place place, const Known &lookup) const;
    int64_t begin_of_part(int64_t call, int64_t t) const;
    Place walk_native(Backward &stretches, size_t collective, int64_t call, Place start) const;

    const Collectives &collectives_;
    const Calls &calls_;
    const Lanes &lanes_;
    HopWaits hop_waits_;
    const std::vector<Overhead> *overheads_;
};

// Appends a stretch as step number `step` of a path. path_collective: the collective of the path; -1 for the run's
// path.
void keep(Stretches &stretches, Path path, int64_t path_collective, const Stretch &stretch, int64_t step);
// Appends all stretches of a path in the order of time.
void keep(Stretches &stretches, Path path, int64_t path_collective, const Backward &backward);

} // namespace hopscope::paths
