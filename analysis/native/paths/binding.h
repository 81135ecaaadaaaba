// Which end of a message had to wait for the other.
#pragma once

#include <array>

#include "block_pool.h"
#include "columns.h"

namespace hopscope::paths {

struct BindingResult {
    Kept<int8_t> binding;           // enum Binding, per message
    Kept<int64_t> expected_arrival; // send_begin + the fastest transit of its class: breaks ties of one MPI_Waitall
};

// Judges the messages of a trace piece by piece: each by the references of everything up to the end of its piece.
class Judge {
  public:
    Judge();
    // Take a piece's messages for references: the transits of all its parts first, then the waits, then judge().
    void learn_transits(const Messages &messages);
    void learn_waits(const Messages &messages);
    // Several threads may judge parts of a piece.
    BindingResult judge(const Messages &messages) const;

  private:
    static constexpr int LINKS = 4;
    static constexpr int SIZE_CLASSES = 66;
    static constexpr int64_t NONE_SEEN = std::numeric_limits<int64_t>::max();
    struct Reference {
        int64_t fastest_transit = NONE_SEEN;
        int64_t fastest_wait = NONE_SEEN;
    };
    static Binding by_times(const Messages &m, size_t i, const Reference &reference);
    static bool surely_there(const Messages &m, size_t i, int64_t fastest_transit);
    static bool only_looked_again(const Messages &m, size_t i, int64_t fastest_transit);
    size_t class_of(const Messages &m, size_t i) const;

    std::array<Reference, LINKS * SIZE_CLASSES> references_;
    std::array<int64_t, LINKS> eager_bytes_;
};

} // namespace hopscope::paths
