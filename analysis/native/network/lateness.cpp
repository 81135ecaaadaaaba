#include "lateness.h"

#include <algorithm>
#include <cmath>

void Lateness::add(uint64_t ns) {
    of_microseconds_[std::min<uint64_t>((ns + 999) / 1000, MOST_MICROSECONDS)]++;
    count_++;
}

uint64_t Lateness::quantile(double share) const {
    const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
    uint64_t below = 0;
    for (size_t us = 0; us < of_microseconds_.size() && count_ > 0; us++) {
        below += of_microseconds_[us];
        if (below >= wanted)
            return us * 1000;
    }
    return 0;
}
