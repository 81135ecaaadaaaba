// Classifies messages by the end that had to wait for the other.
#pragma once

#include <array>

#include "block_pool.h"
#include "columns.h"
#include "transfers.h"

namespace hopscope::paths {

// The causes of waits at the ends of a message, as bits, because both ends may have waited.
enum WaitedFor : int8_t {
    RECEIVER_FOR_SEND = 1,  // until the message was sent and had arrived
    RECEIVER_FROM_POST = 2, // for a transfer that only its own post started
    SENDER_FOR_POST = 4,    // for the receive to be posted
};

struct BindingResult {
    PooledVector<int8_t> binding; // enum Binding, per message
    PooledVector<int8_t> waited;  // bits of WaitedFor
    PooledVector<int64_t>
        expected_arrival; // the begin of the move + the fastest transit of its class: breaks ties in MPI_Waitall
};

// Classifies a trace's messages piece by piece. The references are those of all pieces up to the current one.
class BindingClassifier {
  public:
    BindingClassifier();
    // Learns references from a piece's messages. Call learn_transits for all its parts, then learn_waits, then
    // classify().
    void learn_transits(const Messages &messages);
    void learn_waits(const Messages &messages);
    // Several threads may classify parts of a piece concurrently.
    BindingResult classify(const Messages &messages) const;

  private:
    struct Reference : Transfer {
        int64_t fastest_wait = NO_SAMPLE; // of a message that had already arrived
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
    static SenderBlocked sender_blocked(const Messages &m, size_t i, const Reference &reference, int64_t eager_bytes);
    static bool came_after_post(const Messages &m, size_t i, const Reference &reference);
    static bool ended_with_post(const Messages &m, size_t i, const Reference &reference);
    static bool moved_from_post(const Messages &m, size_t i, const Reference &reference);
    static Binding at_receiver(const Messages &m, size_t i, const Reference &reference);
    static Verdict verdict(const Messages &m, size_t i, const Reference &reference, int64_t eager_bytes);

    std::array<Reference, MESSAGE_CLASSES> references_;
    std::array<int64_t, LINK_CLASS_COUNT> eager_bytes_;
};

} // namespace hopscope::paths
