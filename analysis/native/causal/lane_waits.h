// The spans for which each lane waited.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hopscope::causal {

class LaneWaits {
  public:
    explicit LaneWaits(size_t lanes) : waits_(lanes), next_(lanes, 0) {}

    void add(int32_t lane, int64_t begin, int64_t end) {
        if (begin < end)
            waits_[static_cast<size_t>(lane)].push_back({begin, end});
    }

    // Joins overlapping waits of one lane. Call it after the last add().
    void join() {
        for (std::vector<Wait> &waits : waits_) {
            std::sort(waits.begin(), waits.end(), [](const Wait &a, const Wait &b) { return a.begin < b.begin; });
            size_t joined_count = 0;
            for (const Wait &wait : waits) {
                if (joined_count > 0 && wait.begin <= waits[joined_count - 1].end)
                    waits[joined_count - 1].end = std::max(waits[joined_count - 1].end, wait.end);
                else
                    waits[joined_count++] = wait;
            }
            waits.resize(joined_count);
        }
    }

    // The part of the span from `begin` to `end` in which the lane did not wait. Spans of a lane must come in the order
    // of time.
    int64_t busy(int32_t lane, int64_t begin, int64_t end) {
        const std::vector<Wait> &waits = waits_[static_cast<size_t>(lane)];
        size_t &next = next_[static_cast<size_t>(lane)];
        while (next < waits.size() && waits[next].end <= begin)
            next++;
        int64_t waited = 0;
        for (size_t i = next; i < waits.size() && waits[i].begin < end; i++)
            waited += std::min(waits[i].end, end) - std::max(waits[i].begin, begin);
        return end - begin - waited;
    }

  private:
    struct Wait {
        int64_t begin, end;
    };
    std::vector<std::vector<Wait>> waits_; // per lane
    std::vector<size_t> next_;             // per lane: index of the first wait that busy() still needs
};

} // namespace hopscope::causal
