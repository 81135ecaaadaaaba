/* MPI calls that are no collectives, and other regions: their rows. */
#pragma once

#include <vector>

#include "piece.h"

namespace hopscope {

class IntervalPieces {
  public:
    explicit IntervalPieces(Making &making) : making_(making) {}

    /* Takes up what began before the horizon; appends rows, `rows` at a time. */
    void take(int64_t horizon, size_t rows, bool last, Tables &out);

  private:
    struct Row {
        IntervalRecord interval;
        size_t location;
    };
    void give(const Row *first, size_t count, Tables &out);

    Making &making_;
    std::vector<Row> ready_;
    int64_t next_id_ = 0;
};

} // namespace hopscope
