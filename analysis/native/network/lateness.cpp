#include "lateness.h"

#include <algorithm>
#include <cmath>

void Lateness::add(uint64_t ns) {
    of_microseconds_[std::min<uint64_t>((ns + 999) / 1000, MOST_MICROSECONDS)]++;
    count_++;
}

uint64_t Lateness::quantile(double share) const {
    const auto target_count = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
    uint64_t count_below = 0;
    for (size_t microsecond = 0; microsecond < of_microseconds_.size() && count_ > 0; microsecond++) {
        count_below += of_microseconds_[microsecond];
        if (count_below >= target_count)
            return microsecond * 1000;
    }
    return 0;
}
