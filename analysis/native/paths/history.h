// What the walks over a whole trace need of it, gathered piece by piece in scratch files.
#pragma once

#include <memory>
#include <vector>

#include "timeline.h"

namespace hopscope::paths {

class History {
  public:
    // lanes.first_event may be filled in until finish().
    History(const Scratch &scratch, const Lanes &lanes);

    // A piece's collectives with all their calls and the waits in them; pieces in order. Another thread may meanwhile
    // add intervals or messages.
    void add(const Collectives &collectives, const Calls &calls, const Kept<Wait> &hop_waits);
    void add(const Intervals &intervals);
    // The application's messages, judged.
    void add(const Messages &messages, const BindingResult &judged);
    // No add() after it. What walks may be asked only then.
    void finish();
    // Gives the pages of the files back. Whoever walks far calls it now and then; no other thread may walk meanwhile
    // and hold a pointer for long: the pages come again when they are touched.
    void trim() const;

    // Where the run's path begins, seen backwards; lane -1 for none. Found by finish().
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

  private:
    Place find_end_of_run() const;

    const Scratch &scratch_;
    const Lanes &lanes_;
    std::vector<int64_t> last_calls_, last_intervals_, last_regions_; // of each lane; MISSING for none
    bool finalizes_ = false;
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
};

} // namespace hopscope::paths
