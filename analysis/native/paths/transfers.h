// The minimum transfer time of each class of messages. The messages of a class have the same link class, and sizes
// between the same two powers of two.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "columns.h"

namespace hopscope::paths {

constexpr size_t SIZE_CLASSES = 66;
constexpr size_t MESSAGE_CLASSES = LINK_CLASS_COUNT * SIZE_CLASSES;
constexpr int64_t NO_SAMPLE = std::numeric_limits<int64_t>::max();

inline size_t class_of(const Messages &m, size_t i) {
    const int64_t bytes = m.bytes[i];
    const size_t size = bytes <= 0 ? 0 : 64 - static_cast<size_t>(__builtin_clzll(static_cast<uint64_t>(bytes)));
    return static_cast<size_t>(m.link[i]) * SIZE_CLASSES + size;
}

inline bool posted_late(const Messages &m, size_t i) {
    return m.recv_post[i] > m.send_begin[i] + m.clock_error[i];
}

// The fastest times of one class of messages.
struct Transfer {
    int64_t fastest_transit = NO_SAMPLE; // from the send's begin to the receive's end
    int64_t fastest_move = NO_SAMPLE;    // from the send's begin or the receive's post, whichever is later
    bool has_prompt = false;             // true if a receive was posted before its send began

    void learn(const Messages &m, size_t i) {
        // A time shorter than the clocks' uncertainty tells nothing, so it counts as long as the uncertainty.
        const int64_t uncertainty = std::max(m.clock_error[i], int64_t{0});
        const int64_t since_send = m.recv_end[i] - m.send_begin[i], since_post = m.recv_end[i] - m.recv_post[i];
        fastest_transit = std::min(fastest_transit, std::max(since_send, uncertainty));
        fastest_move = std::min(fastest_move, std::max(std::min(since_send, since_post), uncertainty));
        has_prompt = has_prompt || !posted_late(m, i);
    }
    // The minimum time of a transfer: the fastest transit or, if no receive of the class was posted before its send,
    // the fastest move.
    int64_t transfer() const {
        return has_prompt ? fastest_transit : fastest_move;
    }
};

} // namespace hopscope::paths
