/* Computes the critical paths that need the whole trace, and returns them piece by piece as tables: first the lead, the
 * path that leads to a collective, of each collective, then the path of the run. */
#pragma once

#include <memory>

#include "../paths/run_walk.h"
#include "piece.h"
#include "time_bins.h"

namespace hopscope {

class Walks {
  public:
    /* The history must be finished. All arguments must outlive this object. Tables have about piece_rows rows; a longer
     * path goes to a temporary file first and is split. */
    Walks(const paths::History &history, const paths::Scratch &scratch, std::shared_ptr<const Words> words,
          size_t piece_rows, TimeBins &bins, Progress &progress);
    ~Walks();

    /* Appends the next tables. Returns false when there are no more. Throws Cancelled or std::system_error. */
    bool next(Tables &tables);

  private:
    struct LongPath;

    void next_leads(Tables &tables);
    void next_of_long_path(Tables &tables);
    template <typename Walk> void begin_long_path(paths::Path path, int64_t collective, const Walk &walk);

    const paths::History &history_;
    const paths::Scratch &scratch_;
    const std::shared_ptr<const Words> words_;
    const size_t piece_rows_;
    TimeBins &bins_;
    Progress &progress_;
    const paths::RunWalker walker_;
    size_t next_lead_ = 0, leads_at_once_;
    bool walked_run_ = false;
    std::unique_ptr<LongPath> long_path_;
};

} // namespace hopscope
