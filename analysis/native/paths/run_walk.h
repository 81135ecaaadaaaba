// The walks that cross collectives: what led to each of them, and the critical path of the run.
#pragma once

#include "history.h"
#include "walk.h"

namespace hopscope::paths {

class RunWalker {
  public:
    // A finished history, which must outlive it.
    explicit RunWalker(const History &history);

    // For the collectives first .. end - 1: what led to the enter of its last arrival, back to the collective before.
    void keep_leads(Stretches &out, size_t first, size_t end) const;
    // The path of the run, latest stretch first, from the last Finalize back to the beginning. take(stretch) is called
    // for each; it may be long.
    template <typename Take> void run(const Take &take) const {
        Place at = history_.end_of_run();
        Backward some;
        while (at.lane >= 0) {
            some.clear();
            at = walk_back(some, at, false, kStepsAtOnce);
            for (const Stretch &stretch : some)
                take(stretch);
            history_.trim();
        }
    }

  private:
    static constexpr size_t kStepsAtOnce = 1 << 14;
    static constexpr size_t kLeadsAtOnce = 1 << 10; // between two trims

    Place walk_interval(Backward &out, const Item &item, Place from) const;
    bool ends_collective(const Item &item) const;
    Within within(const Item &item) const;
    // Back from a place to the beginning, or (stop_at_collective) to the leave of the collective met first. Returns
    // lane -1, or the place to go on from if there are `enough` stretches.
    Place walk_back(Backward &out, Place from, bool stop_at_collective,
                    size_t enough = std::numeric_limits<size_t>::max()) const;

    const History &history_;
    CollectiveWalker collectives_;
};

} // namespace hopscope::paths
