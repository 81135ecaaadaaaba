// Makes bins twice as long.
#include "bins.h"

namespace hopscope::paths {

void Bins::coarsen() {
    columns_ = (columns_ + 1) / 2;
    level_++;
    for (std::vector<int64_t> &plane : planes_) {
        if (plane.empty())
            continue;
        plane.resize(2 * columns_, 0);
        for (size_t column = 0; column < columns_; column++)
            plane[column] = plane[2 * column] + plane[2 * column + 1];
        plane.resize(columns_);
    }
}

} // namespace hopscope::paths
