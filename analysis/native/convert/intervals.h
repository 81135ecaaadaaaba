/* Makes the table `intervals`, which has MPI calls other than collectives, and other regions. */
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "../paths/scratch.h"
#include "piece.h"

namespace hopscope {

/* Makes rows in the order of the intervals' begins. An interval that has not ended holds back the rows of all later
 * ones. If it stays open for long, as `main` does, all rows go to a file until the end of the trace. Ends that come
 * later are filled in when the file is read. */
class IntervalPieces {
  public:
    IntervalPieces(Making &making, const paths::Scratch &scratch) : making_(making), scratch_(scratch) {}

    /* Adds intervals that began before the horizon (ticks). Appends finished rows in tables of `rows` rows each. last:
     * the trace has been read to its end. */
    void take(int64_t horizon, size_t rows, bool last, Tables &tables);
    /* Appends the next rows of the file. Returns false when there are no more. Call it after the last take(). */
    bool take_spilled(size_t rows, Tables &tables);

  private:
    struct Row {
        IntervalRecord interval;
        size_t location;
        int64_t index; /* index in the location's queue; -1 for a collective call that became an interval */
        void end(const LateEnd &late) {
            interval.end = late.time;
            interval.requests = late.requests;
        }
    };

    void take_up(int64_t horizon);
    void end_open();
    int64_t first_open() const;
    void spill();
    void give(const Row *first, size_t count, Tables &tables);

    Making &making_;
    const paths::Scratch &scratch_;
    std::vector<Row> ready_; /* held-back rows; next_id_ is the first one's id, unless rows are in the file */
    int64_t next_id_ = 0, next_row_ = 0;
    std::map<std::pair<size_t, int64_t>, int64_t> open_; /* location and index -> row */
    std::unique_ptr<paths::ScratchColumn<Row>> spill_;
    std::vector<LateEnd> late_ends_; /* ends of rows in the file; `interval` is the number of the row */
    paths::Column<Row> spilled_rows_;
    size_t next_spilled_ = 0, next_late_end_ = 0;
};

} // namespace hopscope
