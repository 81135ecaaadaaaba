// Walks along the critical path of one collective. The columns are those of a piece of a trace or of all of it.
#pragma once

#include "columns.h"
#include "timeline.h"

namespace hopscope::paths {

// A stretch of a path; -1 for none. The caller numbers op and call_site.
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
    // All arguments must outlive this object. Rows count from the first row of `collectives` and of `calls`. Overheads,
    // if given, are cut out of stretches in MPI.
    CollectiveWalker(const Collectives &collectives, const Calls &calls, const Lanes &lanes, HopWaits hop_waits,
                     const std::vector<Overhead> *overheads = nullptr);

    // The last binding hop that each hop's sender had to wait for before it sent, by id; -1 if there is none.
    PooledVector<int64_t> hop_predecessors(const Messages &hops) const;
    // The last binding hop before each call's leave, by id; -1 if there is none.
    PooledVector<int64_t> call_predecessors() const;
    // The begin of the chain of binding hops that each call waited for. It is the rank for which all ranks on the chain
    // waited, and the time at which that rank entered the collective or came to wait for it. Without hops, it is
    // last_needed() for a nonblocking collective. Lane -1 if the hops are unknown or undecided, or if the call has no
    // end.
    PooledVector<Place> chain_begins() const;
    // The begin of a collective's critical path: the begin of the chain of the call that ended last.
    Place begin_of_path(size_t collective) const;
    // Appends the critical path of each collective, its stretches in time order. Returns the rows of the collectives
    // whose hops leave a wait undecided.
    std::vector<size_t> keep_paths(Stretches &stretches) const;

    // Walks back through a collective, from a place in it to an enter. In a collective that returned early, the walk
    // may end where a rank came to wait for it, or sent in another call.
    Place walk(Backward &stretches, size_t collective, Place place) const;
    // Walks through a collective's hops alone. If a wait is undecided, returns false and changes nothing.
    bool walk_hops(Backward &stretches, size_t collective, Place &place) const;
    // The end of the last wait of a lane's rank for a hop of the collective, at t or before; MISSING if there is none.
    int64_t end_of_wait(size_t collective, int32_t lane, int64_t t) const;
    // The rank for which a call had to wait by its operation's rule, and the time before t at which that rank reached
    // the collective: its enter, or its wait for a nonblocking collective, which lets the collective go on. It is the
    // call's own rank if no other reached it later.
    Place last_needed(size_t collective, int64_t call, int64_t t) const;
    // The last begin of a wait for a nonblocking collective that another member may have waited for, by the rule of the
    // operation. Lane -1 if there is none. Cost: a sort of the collective's calls.
    Place last_wait_needed(size_t collective) const;
    // The row of the call of a lane's rank; -1 if it has none.
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
    // Follows binding hops back from a place. lookup(wait) gives the begin of a chain that was already followed, or
    // nullptr.
    template <typename Known> Place begin_of_chain(size_t collective, Place place, const Known &lookup) const;
    int64_t begin_of_part(int64_t call, int64_t t) const;
    Place walk_native(Backward &stretches, size_t collective, int64_t call, Place start) const;

    const Collectives &collectives_;
    const Calls &calls_;
    const Lanes &lanes_;
    HopWaits hop_waits_;
    const std::vector<Overhead> *overheads_;
};

// Appends a stretch as one step of a path.
void keep(Stretches &stretches, Path path, int64_t path_collective, const Stretch &stretch, int64_t step);
// Appends a path, reversed.
void keep(Stretches &stretches, Path path, int64_t path_collective, const Backward &backward);

} // namespace hopscope::paths
