// Sorts by time what is nearly in order or comes from several sources.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "block_pool.h"

namespace hopscope {

// The time of something, and its index where it is stored.
struct At {
    int64_t time;
    uint32_t place;
};

// Sorts by time, stably, in linear time.
inline void sort_by_time(Kept<At> &all) {
    constexpr int kDigit = 11;
    if (std::is_sorted(all.begin(), all.end(), [](const At &a, const At &b) { return a.time < b.time; }))
        return;
    const auto [first, last] =
        std::minmax_element(all.begin(), all.end(), [](const At &a, const At &b) { return a.time < b.time; });
    const auto base = static_cast<uint64_t>(first->time);
    const uint64_t span = static_cast<uint64_t>(last->time) - base;
    Kept<At> other(all.size());
    for (int shift = 0; shift < 64 && span >> shift; shift += kDigit) {
        auto digit = [&](const At &at) {
            return (static_cast<uint64_t>(at.time) - base) >> shift & ((uint64_t{1} << kDigit) - 1);
        };
        std::array<size_t, (size_t{1} << kDigit) + 1> begin{};
        for (const At &at : all)
            begin[digit(at) + 1]++;
        for (size_t i = 1; i < begin.size(); i++)
            begin[i] += begin[i - 1];
        for (const At &at : all)
            other[begin[digit(at)]++] = at;
        std::swap(all, other);
    }
}

// Sorts by time and, at equal times, by less(place, place).
template <typename Less> void sort_by_time(Kept<At> &all, const Less &less) {
    sort_by_time(all);
    for (auto first = all.begin(), last = first; first != all.end(); first = last) {
        last = std::find_if(first, all.end(), [&](const At &at) { return at.time != first->time; });
        if (last - first > 1)
            std::sort(first, last, [&](const At &a, const At &b) { return less(a.place, b.place); });
    }
}

// Sorts nearly ordered data by insertion, as long as the moves stay short.
template <typename Iterator, typename Less> void sort_nearly(Iterator first, Iterator last, const Less &less) {
    auto left = 8 * (last - first); // moves
    for (Iterator next = first; next != last; ++next) {
        if (next == first || !less(*next, *(next - 1)))
            continue;
        auto value = *next;
        Iterator at = next;
        for (; at != first && less(value, *(at - 1)) && left > 0; --at, --left)
            *at = *(at - 1);
        *at = value;
        if (left == 0) {
            std::sort(first, last, less);
            return;
        }
    }
}

} // namespace hopscope
