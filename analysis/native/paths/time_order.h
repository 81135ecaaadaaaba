// Sorts data by time, quickly if the data is nearly in order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "block_pool.h"

namespace hopscope {

// A time, and the index of the element that has it.
struct TimedIndex {
    int64_t time;
    uint32_t place;
};

// Sorts by time (radix sort: linear and stable).
inline void sort_by_time(PooledVector<TimedIndex> &entries) {
    constexpr int kDigit = 11;
    if (std::is_sorted(entries.begin(), entries.end(),
                       [](const TimedIndex &a, const TimedIndex &b) { return a.time < b.time; }))
        return;
    const auto [first, last] = std::minmax_element(
        entries.begin(), entries.end(), [](const TimedIndex &a, const TimedIndex &b) { return a.time < b.time; });
    const auto base = static_cast<uint64_t>(first->time);
    const uint64_t span = static_cast<uint64_t>(last->time) - base;
    PooledVector<TimedIndex> buffer(entries.size());
    for (int shift = 0; shift < 64 && span >> shift; shift += kDigit) {
        auto digit = [&](const TimedIndex &entry) {
            return (static_cast<uint64_t>(entry.time) - base) >> shift & ((uint64_t{1} << kDigit) - 1);
        };
        std::array<size_t, (size_t{1} << kDigit) + 1> begin{};
        for (const TimedIndex &entry : entries)
            begin[digit(entry) + 1]++;
        for (size_t i = 1; i < begin.size(); i++)
            begin[i] += begin[i - 1];
        for (const TimedIndex &entry : entries)
            buffer[begin[digit(entry)]++] = entry;
        std::swap(entries, buffer);
    }
}

// Sorts by time. Entries with the same time are sorted by precedes(one entry's place, another entry's place).
template <typename Less> void sort_by_time(PooledVector<TimedIndex> &entries, const Less &precedes) {
    sort_by_time(entries);
    for (auto first = entries.begin(), last = first; first != entries.end(); first = last) {
        last = std::find_if(first, entries.end(), [&](const TimedIndex &entry) { return entry.time != first->time; });
        if (last - first > 1)
            std::sort(first, last,
                      [&](const TimedIndex &a, const TimedIndex &b) { return precedes(a.place, b.place); });
    }
}

// Sorts nearly ordered data by insertion; if that needs more than 8 moves per element, sorts it by std::sort().
template <typename Iterator, typename Less> void sort_nearly(Iterator first, Iterator last, const Less &precedes) {
    auto left = 8 * (last - first); // moves that are still allowed
    for (Iterator next = first; next != last; ++next) {
        if (next == first || !precedes(*next, *(next - 1)))
            continue;
        auto value = *next;
        Iterator position = next;
        for (; position != first && precedes(value, *(position - 1)) && left > 0; --position, --left)
            *position = *(position - 1);
        *position = value;
        if (left == 0) {
            std::sort(first, last, precedes);
            return;
        }
    }
}

} // namespace hopscope
