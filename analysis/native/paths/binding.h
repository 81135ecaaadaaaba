// Finds for each message whether its receiver had to wait for its sender, the sender for the receiver, or neither.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "block_pool.h"
#include "columns.h"
#include "transfers.h"

namespace hopscope::paths {

// The causes for which a message's sender and receiver waited. They are bits, because both may have waited.
enum WaitedFor : int8_t {
    RECEIVER_FOR_SEND = 1,  // the receiver waited until the message was sent and had arrived
    RECEIVER_FROM_POST = 2, // the receiver waited for a transfer that started only when it posted the receive
    SENDER_FOR_POST = 4,    // the sender waited until the receive was posted
};

struct BindingResult {
    PooledVector<int8_t> binding; // per message: a code of enum Binding
    PooledVector<int8_t> waited;  // per message: bits of WaitedFor
    PooledVector<int64_t>
        expected_arrival; // per message: time at which it should have arrived; orders the messages of an MPI_Waitall
};

// Classifies a trace's messages piece by piece. It compares each message with reference times, which it learns from all
// pieces up to the message's own.
class BindingClassifier {
  public:
    BindingClassifier();
    // Learn reference times from a piece's messages. Call learn_transits() for all parts of the piece, then
    // learn_waits() for all parts, then classify().
    void learn_transits(const Messages &messages);
    void learn_waits(const Messages &messages);
    // Several threads may classify parts of a piece concurrently.
    BindingResult classify(const Messages &messages) const;

  private:
    struct Reference : Transfer {
        int64_t fastest_wait = NO_SAMPLE; // fastest receive of a message that had already arrived
    };
    enum class SenderBlocked { no, perhaps, yes };
    struct Verdict {
        Binding binding = Binding::none;
        int8_t waited = 0;
        bool sender_blocked = false;
    };
    static Binding by_times(const Messages &m, size_t i, const Reference &reference);
    static bool surely_there(const Messages &m, size_t i, int64_t fastest_transit);
    static bool only_looked_again(const Messages &m, size_t i, int64_t fastest_transit);
    static bool clearly_waited(const Messages &m, size_t i, const Reference &reference);
    int64_t eager_bytes_of(const Messages &m, size_t i) const {
        return eager_bytes_[static_cast<size_t>(m.link[i])];
    }
    static bool seems_to_wait_for_post(const Messages &m, size_t i, const Reference &reference, int64_t eager_bytes);
    std::vector<size_t> explained_sends(const Messages &m) const;
    static SenderBlocked sender_blocked(const Messages &m, size_t i, const Reference &reference, int64_t eager_bytes,
                                        bool is_explained);
    static bool came_after_post(const Messages &m, size_t i, const Reference &reference);
    static int64_t most_since_post(const Messages &m, size_t i, const Reference &reference);
    static bool ended_with_post(const Messages &m, size_t i, const Reference &reference);
    static bool moved_from_post(const Messages &m, size_t i, const Reference &reference);
    static Binding at_receiver(const Messages &m, size_t i, const Reference &reference);
    static Verdict verdict(const Messages &m, size_t i, const Reference &reference, int64_t eager_bytes,
                           bool is_explained);

    std::array<Reference, MESSAGE_CLASSES> references_;
    std::array<int64_t, LINK_CLASS_COUNT> eager_bytes_;
};

} // namespace hopscope::paths
