/* Merges the intervals of all locations by their begin. */
#include "intervals.h"

#include <algorithm>
#include <tuple>

#include "../paths/time_order.h"

namespace hopscope {

/* Passes the ends that have come since the last call to the rows of their intervals. */
void IntervalPieces::end_open() {
    const int64_t first_ready = next_row_ - static_cast<int64_t>(ready_.size());
    for (size_t l = 0; l < making_.trace.locations.size(); l++) {
        LocationEvents &location = making_.trace.locations[l];
        for (const LateEnd &end : location.late_ends) {
            auto open = open_.find({l, end.interval});
            const int64_t row = open->second;
            if (row >= first_ready)
                ready_[static_cast<size_t>(row - first_ready)].end(end);
            else
                late_ends_.push_back({row, end.time, end.requests});
            open_.erase(open);
        }
        location.late_ends.clear();
        if (location.exhausted) /* no events are left, so its open intervals never end */
            open_.erase(open_.lower_bound({l, 0}), open_.lower_bound({l + 1, 0}));
    }
}

void IntervalPieces::take_up(int64_t horizon) {
    const size_t ready_count = ready_.size();
    PooledVector<Row> rows;
    PooledVector<TimedIndex> order;
    auto take = [&](const Row &row) {
        order.push_back({row.interval.begin, static_cast<uint32_t>(rows.size())});
        rows.push_back(row);
    };
    for (size_t l = 0; l < making_.trace.locations.size(); l++) {
        LocationEvents &location = making_.trace.locations[l];
        Queue<IntervalRecord> &queue = location.intervals;
        int64_t i = queue.begin();
        for (; i < queue.end() && queue[i].begin < horizon; i++)
            if (queue[i].region != OTF2_UNDEFINED_REGION)
                take({queue[i], l, i});
        queue.drop_to(i);
        size_t unplaced_count = 0;
        for (const IntervalRecord &interval : location.unplaced) {
            if (interval.begin < horizon)
                take({interval, l, -1});
            else
                location.unplaced[unplaced_count++] = interval;
        }
        location.unplaced.resize(unplaced_count);
    }
    sort_by_time(order, [&](uint32_t a, uint32_t b) {
        return std::tie(rows[a].location, rows[a].interval.depth, a) <
               std::tie(rows[b].location, rows[b].interval.depth, b);
    });
    ready_.reserve(ready_count + rows.size());
    for (const TimedIndex &entry : order)
        ready_.push_back(rows[entry.place]);
    for (size_t i = ready_count; i < ready_.size(); i++, next_row_++)
        if (ready_[i].interval.end == kNull64 && ready_[i].index >= 0 &&
            !making_.trace.locations[ready_[i].location].exhausted)
            open_[{ready_[i].location, ready_[i].index}] = next_row_;
}

int64_t IntervalPieces::first_open() const {
    int64_t first = next_row_;
    for (const auto &[place, row] : open_)
        first = std::min(first, row);
    return first;
}

/* Moves all held-back rows to the file. */
void IntervalPieces::spill() {
    if (!spill_)
        spill_ = std::make_unique<paths::ScratchColumn<Row>>(scratch_);
    spill_->add(ready_.data(), ready_.size());
    ready_.clear();
}

void IntervalPieces::take(int64_t horizon, size_t rows, bool last, Tables &tables) {
    constexpr size_t kMostWaiting =
        4; /* if more than kMostWaiting * rows rows wait for an open interval, they go to the file */
    end_open();
    take_up(horizon);
    if (spill_ || (!last && ready_.size() > kMostWaiting * rows &&
                   first_open() - next_id_ < static_cast<int64_t>(kMostWaiting * rows) / 2)) {
        spill();
        if (last) {
            spilled_rows_ = spill_->finish();
            std::sort(late_ends_.begin(), late_ends_.end(),
                      [](const LateEnd &a, const LateEnd &b) { return a.interval < b.interval; });
        }
        return;
    }
    const auto free = static_cast<size_t>(last ? next_row_ - next_id_ : first_open() - next_id_);
    size_t emitted = 0;
    for (; free - emitted >= rows; emitted += rows)
        give(ready_.data() + emitted, rows, tables);
    if (last) {
        give(ready_.data() + emitted, free - emitted, tables);
        emitted = free;
    }
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(emitted));
}

bool IntervalPieces::take_spilled(size_t rows, Tables &tables) {
    if (next_spilled_ == spilled_rows_.size)
        return false;
    const size_t end = std::min(spilled_rows_.size, next_spilled_ + rows);
    ready_.assign(spilled_rows_.data + next_spilled_, spilled_rows_.data + end);
    const int64_t first = next_id_;
    for (; next_late_end_ < late_ends_.size() &&
           late_ends_[next_late_end_].interval < first + static_cast<int64_t>(ready_.size());
         next_late_end_++) {
        const LateEnd &end = late_ends_[next_late_end_];
        ready_[static_cast<size_t>(end.interval - first)].end(end);
    }
    give(ready_.data(), ready_.size(), tables);
    next_spilled_ = end;
    spill_->trim();
    return true;
}

void IntervalPieces::give(const Row *first, size_t count, Tables &tables) {
    if (count == 0)
        return;
    const Trace &trace = making_.trace;
    auto table = std::make_shared<Table>(making_.words, count);
    auto &id = table->int64("interval_id");
    auto &rank = table->int32("rank");
    auto &location = table->int64("location");
    auto &region = table->string("region");
    auto &kind = table->string("kind");
    auto &depth = table->int32("depth");
    auto &begin = table->int64("begin_ns");
    auto &end = table->int64("end_ns", true);
    auto &call_site = table->string("call_site", true);
    const auto kind_words = making_.words->numbers(interval_kind_words);
    PooledVector<int32_t> lanes;
    PooledVector<int8_t> kinds;
    for (const Row *row = first; row != first + count; row++) {
        const IntervalRecord &interval = row->interval;
        const LocationEvents &its_location = trace.locations[row->location];
        const RegionWords &words = making_.words->region(interval.region);
        id.push_back(next_id_++);
        rank.push_back(its_location.rank);
        location.push_back(static_cast<int64_t>(its_location.location));
        region.push_back(words.name);
        const paths::IntervalKind its_kind = interval_kind(words.region_kind, interval.requests);
        kind.push_back(kind_words[static_cast<size_t>(its_kind)]);
        depth.push_back(interval.depth);
        begin.push_back(trace.ns(interval.begin));
        end.push_back(trace.ns_or_null(interval.end));
        call_site.push_back(words.call_site);
        lanes.push_back(static_cast<int32_t>(row->location));
        kinds.push_back(static_cast<int8_t>(its_kind));
        if (words.region_kind == RegionKind::Overhead && interval.end != kNull64)
            making_.overhead_ns += end.back() - begin.back();
    }
    using paths::view;
    making_.history->add({view(region), view(call_site), view(lanes), view(kinds), view(begin), view(end)});
    tables.emplace_back("intervals", table);
}

} // namespace hopscope
