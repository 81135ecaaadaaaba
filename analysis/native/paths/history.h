// What the walks over a whole trace need of it, gathered piece by piece in scratch files.
#pragma once

#include <memory>

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

    // Where the run's path begins, seen backwards: the last Finalize, or the last thing there is; lane -1 for none.
    Place end_of_run() const {
        if (last_finalize_.lane >= 0)
            return last_finalize_;
        return last_of_intervals_.t > last_of_calls_.t ? last_of_intervals_ : last_of_calls_;
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
    void later(Place &place, int32_t lane, int64_t t);

    const Scratch &scratch_;
    Place last_finalize_{-1, MISSING}, last_of_calls_{-1, MISSING}, last_of_intervals_{-1, MISSING};
    const Lanes &lanes_;
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
