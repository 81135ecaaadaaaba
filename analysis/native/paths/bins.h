// Divides the time of each rank into spans of one category, and sums these in bins whose length is a power of two.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <vector>

#include "columns.h"
#include "scratch.h"

namespace hopscope::paths {

#define CODE(word, meaning) +1
constexpr size_t kCategories = 0 CATEGORIES(CODE);
#undef CODE

// The wait of one end of a hop for the other, on the lane of its rank's call.
struct HopTime {
    int64_t begin, end;
    int32_t lane;
    int8_t link; // enum link_class
};
inline bool operator<(const HopTime &a, const HopTime &b) {
    return std::tie(a.end, a.begin, a.link) < std::tie(b.end, b.begin, b.link);
}

// A stay of a lane in MPI, or a gap in its recording.
struct Span {
    int64_t begin, end;
    Category category;
    bool has_hops; // the waits for hops inside count for the hops' link classes
};

// The category of a hop's link class. A hop of a rank to itself is the rank's own work.
inline Category category_of(int8_t link) {
    constexpr Category kOf[] = {Category::local, Category::shm, Category::lan, Category::wan};
    return kOf[link];
}

// Sums of time by category; bin c covers 2^level ns from `from + c * 2^level` on. Time outside all bins is left out.
class Bins {
  public:
    Bins(int64_t origin, int32_t level, size_t columns) : origin_(origin), level_(level), columns_(columns) {}

    void add(Category category, int64_t begin, int64_t end) {
        begin = std::max(begin, origin_);
        end = std::min(end, edge(columns_));
        if (begin >= end)
            return;
        std::vector<int64_t> &plane = planes_[static_cast<size_t>(category)];
        plane.resize(columns_, 0);
        for (auto column = static_cast<size_t>((begin - origin_) >> level_); begin < end; column++) {
            const int64_t column_end = std::min(end, edge(column + 1));
            plane[column] += column_end - begin;
            begin = column_end;
        }
    }
    // The sums of a category; empty if it has no time.
    std::vector<int64_t> &operator[](size_t category) {
        return planes_[category];
    }
    // Joins every two bins into one.
    void coarsen();

  private:
    int64_t edge(size_t column) const {
        return origin_ + (static_cast<int64_t>(column) << level_);
    }

    int64_t origin_;
    int32_t level_;
    size_t columns_;
    std::array<std::vector<int64_t>, kCategories> planes_;
};

// Adds the spans of one lane. They come in order of their begins, an outer span before its inner ones, which are left
// out.
class LaneTimes {
  public:
    // waits: the waits of this lane, sorted.
    LaneTimes(Bins &bins, const HopTime *waits, const HopTime *end) : bins_(bins), next_(waits), end_(end) {}

    void add(const Span &span) {
        if (span.begin < position_)
            return;
        position_ = span.begin;
        // If waits overlap, the one that ended first gets the time until its end.
        for (; span.has_hops && next_ != end_ && next_->end <= span.end; next_++) {
            const int64_t begin = std::max(position_, next_->begin);
            if (begin >= next_->end)
                continue;
            bins_.add(span.category, position_, begin);
            bins_.add(category_of(next_->link), begin, next_->end);
            position_ = next_->end;
        }
        bins_.add(span.category, position_, span.end);
        position_ = span.end;
    }

  private:
    Bins &bins_;
    const HopTime *next_, *end_;
    int64_t position_ = std::numeric_limits<int64_t>::min();
};

} // namespace hopscope::paths
