// Walks the critical paths that cross collectives: the path that leads to each collective, and the path of the run.
#pragma once

#include "history.h"
#include "walk.h"

namespace hopscope::paths {

class RunWalker {
  public:
    // The history must be finished, and must outlive this object.
    explicit RunWalker(const History &history);

    // Appends to `stretches` the leads of collectives first .. end - 1. A lead is the critical path from the previous
    // collective to this collective's last arrival. The last arrival is the last enter. A nonblocking collective may
    // have a later one: the begin of its chain of binding hops or, without hops, of a wait for it. A collective with
    // fewer than two calls has no lead. Stops at about `limit` stretches, or before a lead that has more than `limit`
    // stretches. Returns the first collective whose lead was not appended, or end.
    size_t keep_leads(Stretches &stretches, size_t first, size_t end, size_t limit) const;
    // Calls take(stretch) for each stretch of one collective's lead, which may be long; the latest stretch comes first.
    template <typename Take> void lead(size_t collective, const Take &take) const {
        walk_far(last_arrival(collective), true, take);
    }
    // Calls take(stretch) for each stretch of the run's critical path, from the last MPI_Finalize back to the
    // beginning.
    template <typename Take> void run(const Take &take) const {
        walk_far(history_.end_of_run(), false, take);
    }

  private:
    static constexpr size_t kStepsAtOnce = 1 << 14;
    static constexpr size_t kLeadsAtOnce = 1 << 10; // leads between two calls of trim()

    Place walk_interval(Backward &stretches, const Item &item, Place start) const;
    IntervalKind kind_of(const Item &item) const;
    Place walk_join(Backward &stretches, const Item &item, Place start) const;
    Place begin_of_thread(Backward &stretches, Place place) const;
    bool ends_collective(const Item &item) const;
    bool ends_lead(const Item &item) const;
    Place last_arrival(size_t collective) const;
    CallContext context_of(const Item &item) const;
    // Walks back from a place to the run's beginning or, with stop_at_collective, to the first collective that it
    // reaches. Returns lane -1 when it is there. If there are stretch_limit stretches before, returns the place from
    // which to go on.
    Place walk_back(Backward &stretches, Place start, bool stop_at_collective,
                    size_t stretch_limit = std::numeric_limits<size_t>::max()) const;

    template <typename Take> void walk_far(Place place, bool stop_at_collective, const Take &take) const {
        Backward stretches;
        while (place.lane >= 0) {
            stretches.clear();
            place = walk_back(stretches, place, stop_at_collective, kStepsAtOnce);
            for (const Stretch &stretch : stretches)
                take(stretch);
            history_.trim();
        }
    }

    const History &history_;
    CollectiveWalker collectives_;
};

} // namespace hopscope::paths
