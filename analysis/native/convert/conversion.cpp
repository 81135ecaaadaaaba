/* Converts a trace piece by piece: reads events, matches them and returns tables. Critical paths come at the end. */
#include "conversion.h"

#include <algorithm>
#include <iterator>
#include <malloc.h>

#include "../paths/with_another.h"
#include "tables.h"

namespace hopscope {

Conversion::Conversion(const std::string &anchor, const std::string &scratch_directory, uint64_t piece_events,
                       int64_t piece_rows, Progress &progress)
    : progress_(progress), piece_rows_(piece_rows), reading_(anchor, piece_events, progress),
      scratch_(scratch_directory) {
    Trace &trace = reading_.trace();
    making_.reset(new Making{trace, std::make_shared<Words>(*trace.definitions, *trace.comms, *trace.ranks),
                             make_lanes(), nullptr, std::vector<bool>(trace.comms->list().size(), false)});
    history_ = std::make_unique<paths::History>(scratch_, making_->lanes);
    making_->history = history_.get();
    collectives_ = std::make_unique<Collectives>(trace);
    collective_pieces_ = std::make_unique<CollectivePieces>(*making_);
    messages_ = std::make_unique<MessagePieces>(*making_);
    intervals_ = std::make_unique<IntervalPieces>(*making_, scratch_);
}

Conversion::~Conversion() {
    BlockPool::instance().clear();
}

/* Makes one lane per location. A rank's main thread is its location with the smallest id. */
paths::Lanes Conversion::make_lanes() {
    const std::vector<LocationEvents> &locations = reading_.trace().locations;
    std::vector<int32_t> main_of(reading_.trace().ranks->ranks.size(), -1);
    for (size_t l = 0; l < locations.size(); l++) {
        int32_t &main = main_of[static_cast<size_t>(locations[l].rank)];
        if (main < 0 || locations[l].location < locations[static_cast<size_t>(main)].location)
            main = static_cast<int32_t>(l);
        lane_rank_.push_back(locations[l].rank);
    }
    for (const LocationEvents &location : locations)
        main_lane_.push_back(main_of[static_cast<size_t>(location.rank)]);
    first_event_.assign(locations.size(), paths::MISSING);
    return {{lane_rank_.data(), lane_rank_.size()},
            {main_lane_.data(), main_lane_.size()},
            {first_event_.data(), first_event_.size()}};
}

void Conversion::finish_lanes() {
    const Trace &trace = reading_.trace();
    for (size_t lane = 0; lane < first_event_.size(); lane++)
        first_event_[lane] = trace.ns_or_null(trace.ranks->ranks[static_cast<size_t>(lane_rank_[lane])].first);
}

bool Conversion::next(Tables &tables) {
    if (progress_.cancelled)
        throw Cancelled();
    switch (stage_) {
    case Stage::Reading:
        read_piece(tables);
        return true;
    case Stage::Spilled:
        if (!intervals_->take_spilled(static_cast<size_t>(piece_rows_), tables))
            give_last(tables);
        return true;
    case Stage::Walks:
        if (!walks_->next(tables))
            stage_ = Stage::Bins;
        return true;
    case Stage::Bins:
        if (!bins_->next(tables))
            stage_ = Stage::Finished;
        return true;
    case Stage::Finished:
        break;
    }
    return false;
}

void Conversion::read_piece(Tables &tables) {
    const bool has_piece = reading_.next_piece();
    const Horizon horizon = reading_.horizon();
    const bool last = !has_piece;
    const auto rows = static_cast<size_t>(piece_rows_);
    collectives_->number(horizon.calls);
    messages_->join_threads();
    collectives_->file_hops();
    /* From here on collectives do not depend on messages and intervals, so two threads do both at the same time. */
    Tables message_tables;
    run_both(
        [&] {
            messages_->match(horizon);
            messages_->take(rows, last, message_tables);
            intervals_->take(std::min(horizon.intervals, horizon.calls), rows, last, message_tables);
        },
        [&] {
            for (;;) {
                const std::vector<std::unique_ptr<Collective>> piece = collectives_->take(piece_rows_, last);
                if (piece.empty())
                    break;
                collective_pieces_->add(piece, tables);
            }
            collectives_->forget_taken();
        });
    std::move(message_tables.begin(), message_tables.end(), std::back_inserter(tables));
    if (last)
        stage_ = Stage::Spilled;
    malloc_trim(0); /* returns the piece's memory to the system; otherwise the next piece's threads allocate more */
}

void Conversion::give_last(Tables &tables) {
    progress_.stage = "finding paths";
    finish_lanes();
    history_->finish();
    const Trace &trace = reading_.trace();
    std::vector<bool> comm_used = messages_->comm_used();
    for (size_t comm = 0; comm < comm_used.size(); comm++)
        comm_used[comm] = comm_used[comm] || making_->comm_used[comm];
    tables.emplace_back("ranks", ranks_table(trace, making_->words));
    tables.emplace_back("comms", comms_table(trace, comm_used, making_->words));
    tables.emplace_back("clocks", clocks_table(trace, making_->words));
    const auto rows = static_cast<size_t>(piece_rows_);
    bins_ = std::make_unique<TimeBins>(trace, *history_, making_->words, rows);
    walks_ = std::make_unique<Walks>(*history_, scratch_, making_->words, rows, *bins_, progress_);
    stage_ = Stage::Walks;
}

Sums Conversion::sums() const {
    const Trace &trace = reading_.trace();
    Sums sums;
    uint64_t stray = 0;
    for (const LocationEvents &location : trace.locations) {
        sums.events += location.events;
        sums.threads += location.events > 0;
        stray += location.stray_hops;
    }
    sums.collectives = making_->collectives;
    sums.incomplete = making_->incomplete;
    sums.unplaced_calls = collectives_->unplaced();
    sums.unmatched_hops = making_->unmatched_hops + stray;
    sums.unmatched_sends = messages_->unmatched_sends();
    sums.unmatched_receives = messages_->unmatched_receives();
    sums.overhead_ns = making_->overhead_ns;
    sums.by_tree = making_->by_tree;
    return sums;
}

} // namespace hopscope
