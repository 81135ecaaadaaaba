// The walks of the critical path: of every collective, of what led to it, and of the run.
#pragma once

#include "binding.h"
#include "columns.h"
#include "timeline.h"

namespace hopscope {

class Walker {
  public:
    // Both bindings as classify() gives them. The trace must outlive the walker.
    Walker(const Trace &trace, const BindingResult &hops, const BindingResult &messages);

    // The last binding hop that the sender of each hop had to wait for before it sent; -1 if none.
    std::vector<int64_t> hop_predecessors() const;
    // The last binding hop before each call's leave; -1 if none.
    std::vector<int64_t> call_predecessors() const;
    // Every path, stretches in time order.
    Stretches paths() const;

  private:
    struct Place {
        int32_t lane;
        int64_t t;
    };
    struct Stretch {
        int64_t begin, end, collective, hop, message, owner_row;
        int32_t rank, src, dst;
        Category category;
        Owner owner;
    };
    using Backward = std::vector<Stretch>; // latest first

    Place walk_collective(Backward &out, size_t collective, Place from) const;
    Place walk_native(Backward &out, size_t collective, int64_t call, Place from) const;
    // The call that one had to wait for by its operation's rule, of those entered before t; itself if none was later.
    int64_t last_needed(size_t collective, int64_t call, int64_t t) const;
    bool ends_collective(const Item &item) const;
    Place walk_interval(Backward &out, const Item &item, Place from) const;
    // Back from a place to the beginning, or (stop_at_collective) to the leave of the collective met first.
    void walk_back(Backward &out, Place from, bool stop_at_collective) const;
    int64_t call_of(size_t collective, int32_t lane) const;
    int64_t end_of_call(size_t call) const;
    int32_t rank_of(int32_t lane) const;
    void add(Backward &out, Category category, int32_t lane, int64_t begin, int64_t end, Owner owner, int64_t owner_row,
             int64_t collective = -1) const;
    void add_message(Backward &out, Category category, const Messages &messages, const Wait &wait, bool is_hop,
                     int64_t collective, Owner owner, int64_t owner_row) const;
    static void keep(Stretches &out, Path path, int64_t path_collective, const Backward &backward);
    void keep_run(Stretches &out) const;
    void keep_lead(Stretches &out, size_t collective) const;
    void keep_collective(Stretches &out, size_t collective) const;

    const Trace &trace_;
    Timeline timeline_;
    Waits hop_waits_, message_waits_;
    std::vector<int8_t> has_hops_; // per collective
    Completions completions_;
    EarlyReturns early_returns_;
};

} // namespace hopscope
