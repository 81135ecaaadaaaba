// Sums the time of ranks by category (such as mpi or wan), in bins of equal length, which is a power of two in ns.
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

// The time for which one rank of a hop waited for the other. lane: the thread of the waiting rank's call.
struct HopTime {
    int64_t begin, end;
    int32_t lane;
    int8_t link; // a code of enum link_class
};
inline bool operator<(const HopTime &a, const HopTime &b) {
    return std::tie(a.end, a.begin, a.link) < std::tie(b.end, b.begin, b.link);
}

// A span for which a lane was in MPI, or for which recording was paused on it.
struct Span {
    int64_t begin, end;
    Category category;
    bool has_hops; // waits for hops inside the span count for the link classes of the hops, not for `category`
};

// The category of waiting for a hop of a link class. A hop of a rank to itself is the rank's own work.
inline Category category_of(int8_t link) {
    constexpr Category kOf[] = {Category::local, Category::shm, Category::lan, Category::wan};
    return kOf[link];
}

// Sums of time by category. Bin c covers the 2^level ns from origin + c * 2^level on. Time outside all bins is left
// out.
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
    // Makes bins twice as long: each new bin is the sum of two bins.
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

// Adds the spans of one lane to bins. add() must get them in the order of their begins, and an outer span before its
// inner ones. Inner spans are left out.
class LaneTimes {
  public:
    // waits .. end: the lane's waits for hops, sorted.
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
