/* Makes the table time_bins. It has the time of each category on the run's critical path and on every rank, summed over
 * bins of 2^level ns. Levels go from the finest one worth keeping to the level with a single bin. */
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "../paths/bins.h"
#include "../paths/walk.h"
#include "making.h"

namespace hopscope {

class TimeBins {
  public:
    /* The history must be finished. All arguments must outlive this object. */
    TimeBins(const Trace &trace, const paths::History &history, std::shared_ptr<const Words> words, size_t piece_rows);

    /* Adds a stretch of the run's critical path. The latest stretch must come first. */
    void add(const paths::Stretch &stretch);
    /* Appends the next rows. Returns false when there are no more. Call it when the whole path has been added. */
    bool next(Tables &tables);

  private:
    struct Row {
        int64_t bin;
        int32_t rank;
        uint8_t place; /* index of its category in the alphabetical order of categories */
        int64_t time;
    };
    enum class Stage { Begin, Path, Ranks, Finished };

    void sum_ranks();
    void sum_rank(size_t rank);
    void join(std::vector<Row> &rows) const;
    void give(const std::vector<Row> &rows, const char *kind, Tables &tables) const;
    size_t bins() const {
        return static_cast<size_t>(duration_ >> level_) + 1;
    }

    const Trace &trace_;
    const paths::History &history_;
    const std::shared_ptr<const Words> words_;
    const size_t piece_rows_;
    const int64_t duration_;
    int32_t finest_ = 0, level_ = 0;
    size_t next_bin_ = 0;
    Stage stage_ = Stage::Begin;
    std::array<uint8_t, paths::kCategories> place_of_, category_at_;
    std::vector<Row> path_;
    std::vector<paths::Bins> ranks_;
    std::vector<std::vector<int32_t>> lanes_of_;
};

} // namespace hopscope
