/* Converts a whole archive, one piece after another. */
#pragma once

#include <memory>
#include <string>

#include "intervals.h"
#include "messages.h"
#include "piece.h"
#include "reading.h"
#include "walks.h"

namespace hopscope {

/* Counts for the table `run`, also of the calls, hops and messages that found no counterpart. */
struct Sums {
    uint64_t events = 0, threads = 0, collectives = 0, incomplete = 0;
    uint64_t unplaced_calls = 0, unmatched_hops = 0, unmatched_sends = 0, unmatched_receives = 0;
    int64_t overhead_ns = 0;
    bool by_tree = false;
};

class Conversion {
  public:
    /* Opens the archive. Later reads about piece_events events at a time (all events if 0), and makes tables of about
     * piece_rows rows. Temporary files go to scratch_directory. Throws ArchiveError. */
    Conversion(const std::string &anchor, const std::string &scratch_directory, uint64_t piece_events,
               int64_t piece_rows, Progress &progress);
    ~Conversion();

    /* Appends the next tables. Returns false when there are no more. Throws ArchiveError, Cancelled or
     * std::system_error. */
    bool next(Tables &tables);

    Trace &trace() {
        return reading_.trace();
    }
    Sums sums() const;

  private:
    enum class Stage { Reading, Spilled, Walks, Bins, Finished };

    paths::Lanes make_lanes();
    void finish_lanes();
    void read_piece(Tables &tables);
    void give_last(Tables &tables);

    Progress &progress_;
    const int64_t piece_rows_;
    Reading reading_;
    paths::Scratch scratch_;
    std::vector<int32_t> lane_rank_, main_lane_;
    std::vector<int64_t> first_event_;
    std::unique_ptr<paths::History> history_;
    std::unique_ptr<Making> making_;
    std::unique_ptr<Collectives> collectives_;
    std::unique_ptr<CollectivePieces> collective_pieces_;
    std::unique_ptr<MessagePieces> messages_;
    std::unique_ptr<IntervalPieces> intervals_;
    std::unique_ptr<TimeBins> bins_;
    std::unique_ptr<Walks> walks_;
    Stage stage_ = Stage::Reading;
};

} // namespace hopscope
