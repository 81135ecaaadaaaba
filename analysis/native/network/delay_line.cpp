#include "delay_line.h"

#include <algorithm>
#include <utility>

void DelayLine::put_in(const uint8_t *packet, size_t bytes, uint64_t now) {
    if (!began_)
        began_ = now;
    if (held_ + bytes > MOST_BYTES) {
        counts_.dropped++;
        return;
    }
    uint64_t left = std::max(now, busy_until_);
    const double rate = link_.bytes_per_second.at(left - *began_);
    if (rate > 0)
        left += static_cast<uint64_t>(static_cast<double>(bytes) / rate * 1e9);
    busy_until_ = left;
    /* A shorter latency later on lets nobody overtake. */
    last_due_ = std::max(last_due_, left + static_cast<uint64_t>(link_.latency_ns.at(left - *began_)));
    Packet made{last_due_, {}};
    if (!spare_.empty()) {
        made.bytes = std::move(spare_.back());
        spare_.pop_back();
    }
    made.bytes.assign(packet, packet + bytes);
    under_way_.push_back(std::move(made));
    held_ += bytes;
    counts_.packets++;
    counts_.bytes += bytes;
}

std::optional<uint64_t> DelayLine::next_due() const {
    if (under_way_.empty())
        return std::nullopt;
    return under_way_.front().due;
}

const std::vector<uint8_t> *DelayLine::take_out(uint64_t now) {
    if (under_way_.empty() || under_way_.front().due > now)
        return nullptr;
    counts_.late.add(now - under_way_.front().due);
    spare_.push_back(std::move(out_));
    out_ = std::move(under_way_.front().bytes);
    under_way_.pop_front();
    held_ -= out_.size();
    return &out_;
}

DelayLine::Counts DelayLine::counts() {
    return std::exchange(counts_, {});
}
