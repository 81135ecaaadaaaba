/* The rows of MPI calls other than collectives, and of other regions. */
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "../paths/scratch.h"
#include "piece.h"

namespace hopscope {

/* Intervals as rows in the order of their begins, so an open interval holds back all later ones. If it stays open long
 * (a region like `main`), rows go to a file until the trace's end; later ends are filled in when the file is read. */
class IntervalPieces {
  public:
    IntervalPieces(Making &making, const paths::Scratch &scratch) : making_(making), scratch_(scratch) {}

    /* Adds intervals that began before the horizon; appends rows, `rows` at a time. */
    void take(int64_t horizon, size_t rows, bool last, Tables &tables);
    /* Appends the next rows of the file; call it after the last take(). False when there are no more. */
    bool take_spilled(size_t rows, Tables &tables);

  private:
    struct Row {
        IntervalRecord interval;
        size_t location;
        int64_t index; /* index in the location's queue; -1 for a call that became an interval */
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
    std::vector<Row> ready_; /* the first one has the number next_id_ unless rows are held back */
    int64_t next_id_ = 0, next_row_ = 0;
    std::map<std::pair<size_t, int64_t>, int64_t> open_; /* location and index -> row */
    std::unique_ptr<paths::ScratchColumn<Row>> spill_;
    std::vector<LateEnd> late_ends_; /* of rows held back; interval: the row */
    paths::Column<Row> spilled_rows_;
    size_t next_spilled_ = 0, next_late_end_ = 0;
};

} // namespace hopscope
