/* Values by an archive's own numbers. OTF2 asks for numbers without gaps, so those are places of a vector; an archive
 * that leaves large gaps is served by a map. */
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hopscope {

template <typename T> class RefTable {
  public:
    void set(uint32_t ref, T value) {
        if (ref >= kDense) {
            far_[ref] = std::move(value);
            return;
        }
        if (ref >= near_.size())
            near_.resize(ref + size_t{1});
        near_[ref] = std::move(value);
    }
    /* Null if there is none. */
    const T *find(uint32_t ref) const {
        if (ref < near_.size())
            return near_[ref] ? &*near_[ref] : nullptr;
        if (far_.empty())
            return nullptr;
        auto place = far_.find(ref);
        return place == far_.end() ? nullptr : &place->second;
    }

  private:
    static constexpr uint32_t kDense = 1u << 18;
    std::vector<std::optional<T>> near_;
    std::unordered_map<uint32_t, T> far_;
};

} // namespace hopscope
