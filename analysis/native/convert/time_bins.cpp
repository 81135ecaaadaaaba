/* Sums times at the finest level, with two threads for the ranks. Each bin of the next level is the sum of two bins. */
#include "time_bins.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "../paths/with_another.h"
#include "schemas/words.h"

namespace hopscope {
namespace {

/* Limits of the number of bins at the finest level. More bins would make this table longer than the table of calls. A
 * view of a span shorter than a bin reads the calls themselves. */
constexpr size_t kCells = 1 << 18, kFewestBins = 1 << 10, kMostBins = 1 << 12;
constexpr size_t kRanksAtOnce = 16; /* ranks summed between two calls of trim() */

} // namespace

TimeBins::TimeBins(const Trace &trace, const paths::History &history, std::shared_ptr<const Words> words,
                   size_t piece_rows)
    : trace_(trace), history_(history), words_(std::move(words)), piece_rows_(piece_rows),
      duration_(std::max<int64_t>(0, trace.ns(trace.last))) {
    const size_t ranks = std::max<size_t>(1, trace.ranks->ranks.size());
    const size_t items = history.calls().size() + history.intervals().size();
    const size_t bin_limit =
        std::min(std::clamp(kCells / ranks, kFewestBins, kMostBins), std::max<size_t>(1, items / ranks));
    while (bins() > bin_limit)
        level_++;
    finest_ = level_;
    std::iota(category_at_.begin(), category_at_.end(), uint8_t{0});
    std::sort(category_at_.begin(), category_at_.end(),
              [](uint8_t a, uint8_t b) { return std::strcmp(category_words[a], category_words[b]) < 0; });
    for (size_t place = 0; place < category_at_.size(); place++)
        place_of_[category_at_[place]] = static_cast<uint8_t>(place);
}

void TimeBins::add(const paths::Stretch &stretch) {
    const uint8_t place = place_of_[static_cast<size_t>(stretch.category)];
    const int64_t begin = std::max<int64_t>(0, stretch.begin);
    for (int64_t end = std::min(stretch.end, static_cast<int64_t>(bins()) << level_); end > begin;) {
        const int64_t bin = (end - 1) >> level_;
        const int64_t part_begin = std::max(begin, bin << level_);
        /* Search the rows of this bin, the latest first: the row of this rank and category is usually the last one. */
        auto row = path_.rbegin();
        while (row != path_.rend() && row->bin == bin && (row->rank != stretch.rank || row->place != place))
            ++row;
        if (row != path_.rend() && row->bin == bin)
            row->time += end - part_begin;
        else
            path_.push_back({bin, stretch.rank, place, end - part_begin});
        end = part_begin;
    }
}

bool TimeBins::next(Tables &tables) {
    switch (stage_) {
    case Stage::Begin:
        join(path_);
        sum_ranks();
        stage_ = Stage::Path;
        return true;
    case Stage::Path:
        give(path_, bin_kind_words[0], tables);
        if (bins() > 1) {
            for (Row &row : path_)
                row.bin >>= 1;
            join(path_);
            level_++;
            return true;
        }
        level_ = finest_;
        stage_ = Stage::Ranks;
        return true;
    case Stage::Ranks:
        break;
    case Stage::Finished:
        return false;
    }
    std::vector<Row> rows;
    for (; next_bin_ < bins() && rows.size() < piece_rows_; next_bin_++)
        for (size_t rank = 0; rank < ranks_.size(); rank++)
            for (size_t place = 0; place < category_at_.size(); place++) {
                const std::vector<int64_t> &plane = ranks_[rank][category_at_[place]];
                if (!plane.empty() && plane[next_bin_] != 0)
                    rows.push_back({static_cast<int64_t>(next_bin_), static_cast<int32_t>(rank),
                                    static_cast<uint8_t>(place), plane[next_bin_]});
            }
    give(rows, bin_kind_words[1], tables);
    if (next_bin_ < bins())
        return true;
    if (bins() == 1)
        stage_ = Stage::Finished;
    for (paths::Bins &rank : ranks_)
        rank.coarsen();
    level_++;
    next_bin_ = 0;
    return true;
}

void TimeBins::sum_ranks() {
    const size_t ranks = trace_.ranks->ranks.size();
    ranks_.assign(ranks, paths::Bins(0, level_, bins()));
    lanes_of_.resize(ranks);
    for (size_t lane = 0; lane < history_.lanes().size(); lane++)
        lanes_of_[static_cast<size_t>(history_.lanes().rank[lane])].push_back(static_cast<int32_t>(lane));
    auto sum = [&](size_t first, size_t end) {
        for (size_t rank = first; rank < end; rank++) {
            sum_rank(rank);
            if (rank % kRanksAtOnce == 0)
                history_.trim();
        }
    };
    run_both([&] { sum(ranks / 2, ranks); }, [&] { sum(0, ranks / 2); });
    history_.trim();
}

void TimeBins::sum_rank(size_t rank) {
    const int64_t last = trace_.ns_or_null(trace_.ranks->ranks[rank].last);
    const paths::Grouped<paths::HopTime> &hop_times = history_.hop_times();
    for (int32_t lane : lanes_of_[rank]) {
        const auto group = static_cast<size_t>(lane);
        paths::LaneTimes times(ranks_[rank], hop_times.begin(group), hop_times.end(group));
        history_.spans_of(lane, [&](const paths::Span &span) {
            times.add({span.begin, std::min(span.end, last), span.category, span.has_hops});
        });
    }
}

/* Sorts rows and adds up the rows of the same bin, rank and category. */
void TimeBins::join(std::vector<Row> &rows) const {
    auto key = [](const Row &row) { return std::tie(row.bin, row.rank, row.place); };
    std::sort(rows.begin(), rows.end(), [&](const Row &a, const Row &b) { return key(a) < key(b); });
    size_t row_count = 0;
    for (size_t i = 0; i < rows.size(); i++) {
        if (row_count > 0 && key(rows[row_count - 1]) == key(rows[i]))
            rows[row_count - 1].time += rows[i].time;
        else
            rows[row_count++] = rows[i];
    }
    rows.resize(row_count);
}

void TimeBins::give(const std::vector<Row> &rows, const char *kind, Tables &tables) const {
    if (rows.empty())
        return;
    const auto categories = words_->numbers(category_words);
    auto table = std::make_shared<Table>(words_, rows.size());
    auto &kinds = table->string("kind");
    auto &level = table->int32("level");
    auto &begin = table->int64("begin_ns");
    auto &rank = table->int32("rank");
    auto &category = table->string("category");
    auto &time = table->int64("time_ns");
    const int32_t number = words_->find(kind);
    for (const Row &row : rows) {
        kinds.push_back(number);
        level.push_back(level_);
        begin.push_back(row.bin << level_);
        rank.push_back(row.rank);
        category.push_back(categories[category_at_[row.place]]);
        time.push_back(row.time);
    }
    tables.emplace_back("time_bins", table);
}

} // namespace hopscope
