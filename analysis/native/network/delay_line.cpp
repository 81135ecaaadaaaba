#include "delay_line.h"

#include <algorithm>
#include <utility>

void DelayLine::put_in(const uint8_t *packet, size_t bytes, uint64_t time_ns) {
    if (!begin_)
        begin_ = time_ns;
    if (queued_bytes_ + bytes > MOST_BYTES) {
        counts_.dropped++;
        return;
    }
    uint64_t left = std::max(time_ns, busy_until_);
    const double rate = link_.bytes_per_second.value_at(left - *begin_);
    if (rate > 0)
        left += static_cast<uint64_t>(static_cast<double>(bytes) / rate * 1e9);
    busy_until_ = left;
    /* No packet overtakes another, even if the latency becomes shorter. */
    last_due_ = std::max(last_due_, left + static_cast<uint64_t>(link_.latency_ns.value_at(left - *begin_)));
    Packet entry{last_due_, {}};
    if (!spare_.empty()) {
        entry.bytes = std::move(spare_.back());
        spare_.pop_back();
    }
    entry.bytes.assign(packet, packet + bytes);
    under_way_.push_back(std::move(entry));
    queued_bytes_ += bytes;
    counts_.packets++;
    counts_.bytes += bytes;
}

std::optional<uint64_t> DelayLine::next_due() const {
    if (under_way_.empty())
        return std::nullopt;
    return under_way_.front().due;
}

const std::vector<uint8_t> *DelayLine::take_out(uint64_t time_ns) {
    if (under_way_.empty() || under_way_.front().due > time_ns)
        return nullptr;
    counts_.lateness.add(time_ns - under_way_.front().due);
    spare_.push_back(std::move(outgoing_));
    outgoing_ = std::move(under_way_.front().bytes);
    under_way_.pop_front();
    queued_bytes_ -= outgoing_.size();
    return &outgoing_;
}

DelayLine::Counts DelayLine::counts() {
    return std::exchange(counts_, {});
}
